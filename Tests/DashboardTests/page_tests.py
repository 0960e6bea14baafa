# SPDX-License-Identifier: Apache-2.0
"""The page as a file: its size, its policy, and the schema of its data."""
import gzip
import json
import os
import re
import unittest

import jsonschema

import shipped
import support
import world

SCHEMA = json.loads((shipped.WEB / "snapshot-1.schema.json").read_text())


# The most bytes of the page, whole and compressed, and the compressed bytes that must be left for what is added next.
LIMIT, COMPRESSED_LIMIT, ROOM = 100_000, 40_000, 2_000


class Weight(unittest.TestCase):
    def test_the_page_takes_at_most_100_kB_and_compressed_2_kB_less_than_40_kB(self):
        page = shipped.page().encode()
        self.assertLessEqual(len(page), LIMIT)
        self.assertLessEqual(len(gzip.compress(page, 9, mtime=0)), COMPRESSED_LIMIT - ROOM, "less than 2 kB are left below the limit of 40 kB")


def sources():
    """The script's sources: their paths within the folder of the page, and their texts."""
    return {str(path.relative_to(shipped.WEB)): path.read_text() for path in shipped.WEB.rglob("*.js")}


# The folders of the script, each of which uses only the ones before it.
FLOORS = ["base", "model", "connection", "charts", "table", "page", "panels", "profile"]


def imports(name, text):
    """The paths that a source imports."""
    found = re.findall(r"^(?:import .*?|} )?(?:from |import )'(.+?)';$", text, re.M)
    return [os.path.normpath(os.path.join(os.path.dirname(name), path)) for path in found]


class Sources(unittest.TestCase):
    def test_every_source_is_part_of_the_page(self):
        texts, found, left = sources(), {"request.js"}, ["main.js", "profile/view.js"]
        while left:
            name = left.pop()
            found.add(name)
            left += [path for path in imports(name, texts[name]) if path not in found and path != "profile/profile.css"]
        self.assertEqual(sorted(found), sorted(texts))

    def test_folders_use_each_other_downwards(self):
        for name, text in sources().items():
            folder = os.path.dirname(name)
            for path in imports(name, text):
                with self.subTest(f"{name} imports {path}"):
                    self.assertTrue(not folder or FLOORS.index(os.path.dirname(path)) <= FLOORS.index(folder))

    def test_a_line_has_one_statement_and_at_most_120_columns(self):
        several = re.compile(r"^(?!.*\bfor \().*;\s*\S|^\s*(?:const|let) \w+(?: = [^({\[]*)?, \w+")
        for name, text in sources().items():
            for number, line in enumerate(text.split("\n"), 1):
                with self.subTest(f"{name}:{number}"):
                    self.assertLessEqual(len(line), 120)
                    self.assertNotRegex(re.sub(r"'(?:\\.|[^'\\])*'|`[^`]*`|//.*", "", line), several)


class OwnMembers(unittest.TestCase):
    """Scripts/embed-page shortens the names of members that only the page uses. A name that JSON, an address or a browser
    uses as well must not be among them."""

    @classmethod
    def setUpClass(cls):
        cls.names = re.search(r'OWN_MEMBERS = """(.*?)"""', (shipped.ROOT / "Scripts/embed-page").read_text(), re.S)[1].split()

    def test_json_and_addresses_have_no_such_names(self):
        self.assertEqual(set(self.names) & json_names(), set())
        settings = (shipped.WEB / "model/settings.js").read_text()
        self.assertEqual(set(self.names) & set(re.findall(r"^    (\w+): .*// |^    (\w+): [^{]", settings, re.M)), set())

    def test_browsers_have_no_such_names(self):
        page = support.chromium().new_page()
        found = page.evaluate("""(names) => {
            const types = Object.getOwnPropertyNames(window).filter((name) => /^[A-Z]/.test(name)).map((name) => window[name]);
            const owners = [window, document.documentElement.style, ...types, ...types.map((type) => type.prototype)];
            return names.filter((name) => owners.some((owner) => owner && name in Object(owner)));
        }""", self.names)
        page.close()
        self.assertEqual(found, [])

    def test_each_is_a_member_and_no_text(self):
        code = re.sub(r"^\s*//.*", "", "\n".join(sources().values()), flags=re.M)
        unused = [name for name in self.names if not re.search(rf"[.{{, ]{name}\b", code)]
        texts = [name for name in self.names if re.search(rf"""['"`]{name}['"`]""", code)]
        self.assertEqual((unused, texts), ([], []))


def json_names():
    """The names of all members in the schemas of what the process sends."""
    def names(schema):
        for name, value in schema.items() if isinstance(schema, dict) else enumerate(schema):
            if name == "properties":
                yield from value
            if isinstance(value, dict | list):
                yield from names(value)
    return {name for path in shipped.WEB.glob("*.schema.json") for name in names(json.loads(path.read_text()))}


class Policy(unittest.TestCase):
    def test_nothing_in_the_page_is_loaded_from_anywhere(self):
        page = shipped.page()
        self.assertEqual(re.findall(r"""(?:src|href)=["']?(?:https?:)?//[^"' >]*""", page), [])
        self.assertNotIn("url(http", page)

    def test_the_policy_allows_only_the_pages_own_script_and_style(self):
        page = shipped.page({"any": 1})
        allowed = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        self.assertTrue(allowed.startswith("default-src 'none'; script-src 'sha256-"))
        self.assertNotIn("unsafe", allowed)
        self.assertNotIn("connect-src", allowed)
        self.assertIn("connect-src 'self'", shipped.policy(True))

    def test_the_sources_never_parse_data_as_markup_or_code(self):
        for path in shipped.WEB.rglob("*.js"):
            text = path.read_text()
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "setAttribute('style"]:
                self.assertNotIn(word, text, path.name)

    def test_data_cannot_end_its_element_nor_fill_a_placeholder(self):
        page = shipped.page({"name": "</script><script>alert(1)</script>{{script}}\u2028<!--"})
        self.assertEqual(page.count("</script>"), 2)
        self.assertIn("{{script}}", page)


class Schema(unittest.TestCase):
    def test_the_schema_is_valid(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_every_sample_matches_the_schema_also_after_forty_ticks(self):
        for sample in ["shop", "empty", "fresh", "quiet", "storm"]:
            with self.subTest(sample):
                made = world.World(sample)
                whole = jsonschema.Draft202012Validator(SCHEMA)
                change = jsonschema.Draft202012Validator({"$ref": "#/$defs/tick", "$defs": SCHEMA["$defs"]})
                whole.validate(made.snapshot)
                for _ in range(40):
                    change.validate(made.advance(made.snapshot["capturedAt"] + 1))
                whole.validate(made.snapshot)

    def test_another_version_does_not_match(self):
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({**world.World("empty").snapshot, "version": 2}, SCHEMA)


if __name__ == "__main__":
    unittest.main()
