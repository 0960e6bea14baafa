# SPDX-License-Identifier: Apache-2.0
"""The page as a file: its size, its policy, and the schema of its data."""
import gzip
import json
import os
import re
import unittest

import jsonschema

import shipped
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
FLOORS = ["base", "model", "connection", "charts", "table", "page", "panels"]


def imports(name, text):
    """The paths that a source imports."""
    found = re.findall(r"^(?:import .*?|} )?(?:from |import )'(.+?)';$", text, re.M)
    return [os.path.normpath(os.path.join(os.path.dirname(name), path)) for path in found]


class Sources(unittest.TestCase):
    def test_every_source_is_part_of_the_page(self):
        texts, found, left = sources(), {"request.js"}, ["main.js"]
        while left:
            name = left.pop()
            found.add(name)
            left += [path for path in imports(name, texts[name]) if path not in found]
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
