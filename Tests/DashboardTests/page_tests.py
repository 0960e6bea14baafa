# SPDX-License-Identifier: Apache-2.0
"""The page as a file: its size, its policy, and the schema of its data."""
import gzip
import json
import re
import unittest

import jsonschema

from web_build import assemble
import world

SCHEMA = json.loads((assemble.WEB / "snapshot-1.schema.json").read_text())


class Weight(unittest.TestCase):
    def test_the_page_takes_at_most_100_kB_and_compressed_at_most_32_kB(self):
        page = assemble.page().encode()
        self.assertLessEqual(len(page), 100_000)
        self.assertLessEqual(len(gzip.compress(page, 9, mtime=0)), 32_000)


class Policy(unittest.TestCase):
    def test_nothing_in_the_page_is_loaded_from_anywhere(self):
        page = assemble.page()
        self.assertEqual(re.findall(r"""(?:src|href)=["']?(?:https?:)?//[^"' >]*""", page), [])
        self.assertNotIn("url(http", page)

    def test_the_policy_allows_only_the_pages_own_script_and_style(self):
        page = assemble.page({"any": 1})
        allowed = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        self.assertTrue(allowed.startswith("default-src 'none'; script-src 'sha256-"))
        self.assertNotIn("unsafe", allowed)
        self.assertNotIn("connect-src", allowed)
        self.assertIn("connect-src 'self'", assemble.policy(True, assemble.script(), assemble.style()))

    def test_the_sources_never_parse_data_as_markup_or_code(self):
        for path in assemble.WEB.rglob("*.js"):
            text = path.read_text()
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "setAttribute('style"]:
                self.assertNotIn(word, text, path.name)

    def test_data_cannot_end_its_element_nor_fill_a_placeholder(self):
        page = assemble.page({"name": "</script><script>alert(1)</script>{{script}}\u2028<!--"})
        self.assertEqual(page.count("</script>"), 2)
        self.assertIn("{{script}}", page)

    def test_order_txt_lists_every_source_once(self):
        names = assemble.lean((assemble.WEB / "order.txt").read_text(), "#").split("\n")
        self.assertEqual(sorted([*names, assemble.REQUEST]), sorted(str(path.relative_to(assemble.WEB)) for path in assemble.WEB.rglob("*.js")))


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
