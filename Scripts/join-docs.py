"""Joins the modules of a merged documentation archive into one site, and checks its links.

`docc merge` (Swift 6.3.1) sorts the modules by title below a page of its own, and the renderer shows the navigator of one
module at a time, whose filter finds nothing in the others. One tree with the guide first makes one navigator of all.
"""

import json
import pathlib
import re
import sys

site = pathlib.Path(sys.argv[1])
# The modules, in the order in which the site shows them.
ORDER = sys.argv[2:]


def join_index():
    path = site / "index/index.json"
    index = json.loads(path.read_text())
    for language, roots in index["interfaceLanguages"].items():
        nodes = [node for root in roots for node in root["children"]]
        guide = next(node for node in nodes if node["path"] == "/documentation/guide")
        modules = [node for node in nodes if node is not guide]
        modules.sort(key=lambda node: ORDER.index(node["title"]))
        # A page of a module has its children there, and none in the guide.
        own = {page["path"]: page for module in modules for page in module["children"] if "path" in page}
        pages = [own.get(page.get("path"), page) for page in guide["children"] if page["type"] != "module"]
        shown = {page.get("path") for page in pages}
        for module in modules:
            # The renderer looks for the module of a page among the nodes of type "module".
            module["type"] = "collection"
            # The pages of a task are found once, in the guide.
            module["children"] = [page for page in module["children"] if page.get("path") not in shown]
        start = {"title": "Modules", "type": "groupMarker"}
        index["interfaceLanguages"][language] = [
            {"title": "RecordKit", "path": "/documentation", "type": "module", "children": pages + [start] + modules}
        ]
    path.write_text(json.dumps(index))


def show_guide_first():
    """Shows the guide at the root of the documentation, in place of the list that merging makes."""
    (site / "data/documentation.json").write_text((site / "data/documentation/guide.json").read_text())
    (site / "index.html").write_text(
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>RecordKit</title>\n'
        '<meta http-equiv="refresh" content="0; url=documentation/">\n'
        '<p><a href="documentation/">The guide of RecordKit</a></p>\n</html>\n')


def fit_tables():
    """Shows tables of two columns as a list on a narrow screen. The renderer would show their first column alone."""
    row = ".table-wrapper table:not(:has(td:nth-child(3)))"
    rules = (
        ".table-wrapper td,.table-wrapper th{padding:.3rem!important;font-size:.85rem!important}"
        ".table-wrapper td code{overflow-wrap:anywhere;font-size:.8rem!important}"
        f"{row},{row} tbody,{row} tr,{row} td{{display:block;border:0!important}}{row} thead{{display:none}}"
        f"{row} tr{{padding:.4rem 0;border-bottom:1px solid var(--color-grid)!important}}"
        f"{row} td{{padding:.1rem 0!important}}{row} td+td{{padding-left:1rem!important}}")
    for page in site.glob("**/index.html"):
        text = page.read_text()
        style = f"<style>@media only screen and (max-width:735px){{{rules}}}</style></head>"
        page.write_text(text.replace("</head>", style, 1))


def broken_links():
    """Returns the links within the site, and from the files beside it, that lead nowhere."""
    broken = []
    for page in site.glob("data/documentation/**/*.json"):
        for reference in json.loads(page.read_text()).get("references", {}).values():
            url = reference.get("url", "")
            if url.startswith("/documentation/") and not (site / f"data{url.split('#')[0]}.json").is_file():
                broken.append(f"{page.relative_to(site)}: {url}")
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]:
        text = pathlib.Path(name).read_text()
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            if not target.startswith("http") and not pathlib.Path(target).exists():
                broken.append(f"{name}: {target}")
    return broken


join_index()
fit_tables()
show_guide_first()
if broken := broken_links():
    sys.exit("These links lead nowhere:\n" + "\n".join(sorted(set(broken))))
