"""Writes the pages of the guide for readers on GitHub: Scripts/pages.py [--check]

The source is that of the site: the catalogs below Sources. GitHub shows neither `doc:` links nor links to symbols, so a
link to a page becomes a relative one, and a symbol is shown as code. With --check, nothing is written: the script fails
if a page isn't up to date, or if a link of a page or of README.md leads nowhere.
"""

import os
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
target = root / "Sources/Guide/Pages"
catalogs = sorted(root.glob("Sources/*/*.docc"))
sources = {(c.stem, page.stem): page for c in catalogs for page in sorted(c.glob("*.md"))}
problems = []


def title(page):
    return re.sub(r"``([^`]+)``", r"\1", page.read_text().splitlines()[0].removeprefix("# "))


def find(link, module):
    """Returns the page of a link such as `/RecordKit/Errors`, `Errors` or `/RecordKit`."""
    parts = link.strip("/").split("/")
    if not link.startswith("/"):
        parts = [module, *parts]
    return (parts[0], parts[-1])


def converted(module, name):
    here = target / module

    def address(link):
        page, anchor = link.partition("#")[::2]
        if find(page, module) not in sources:
            problems.append(f"{module}/{name}.md: no page {link}")
            return link
        path = os.path.relpath(target.joinpath(*find(page, module)).with_suffix(".md"), here)
        return f"{path}#{anchor.lower()}" if anchor else path

    def page_link(link):
        page = sources.get(find(link.partition("#")[0], module))
        return f"[{title(page) if page else link}]({address(link)})"

    def symbol(match):
        path = match[1].strip("/").split("/")
        path = [re.sub(r"-[0-9a-z]{4,5}$|-swift\.\w+$", "", part) for part in path]
        modules = {m for m, _ in sources}
        if len(path) == 1 and path[0] in modules:
            return f"[`{path[0]}`]({address('/' + path[0])})"
        if path[0] in modules:
            path = path[1:]
        return f"`{'.'.join(path)}`"

    text = sources[module, name].read_text()
    # What Scripts/snippets puts around the code isn't for readers.
    text = re.sub(r"^<!-- swift(?:: output -->|\n.*?^-->)\n\n?", "", text, flags=re.M | re.S)
    text = re.sub(r"^@Metadata \{\n(?:    .*\n)*\}\n\n?", "", text, flags=re.M)
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for index in range(0, len(parts), 2):
        part = re.sub(r"<doc:([^>]+)>", lambda m: page_link(m[1]), parts[index])
        part = re.sub(r"\]\(doc:([^)]+)\)", lambda m: f"]({address(m[1])})", part)
        part = re.sub(r"^# ``([^`]+)``", r"# \1", part)
        parts[index] = re.sub(r"``([^`]+)``", symbol, part)
    path = os.path.relpath(sources[module, name], here)
    note = f"<!-- Written by Scripts/pages.py from {path.replace('../', '')}. Change that file. -->\n\n"
    return note + "".join(parts)


def dead_links(path, text):
    code = re.compile(r"```.*?```|`[^`]*`", re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", code.sub("", text)):
        if re.match(r"https?:|mailto:", link):
            continue
        file, _, anchor = link.partition("#")
        found = (path.parent / file).resolve() if file else path
        if not found.exists():
            problems.append(f"{path.relative_to(root)}: no file {link}")
        elif anchor:
            heads = re.findall(r"^#+ (.*)$", found.read_text(), flags=re.M)
            anchors = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
            if anchor not in anchors:
                problems.append(f"{path.relative_to(root)}: no section {link}")


pages = {target / module / f"{name}.md": converted(module, name) for module, name in sources}
if "--check" in sys.argv:
    stale = [page for page, text in pages.items() if not page.is_file() or page.read_text() != text]
    stale += [page for page in target.glob("**/*.md") if page not in pages]
    problems += [f"{page.relative_to(root)}: not up to date; run python3 Scripts/pages.py" for page in stale]
else:
    for old in target.glob("**/*.md"):
        if old not in pages:
            old.unlink()
    for page, text in pages.items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
for page, text in pages.items():
    if page.is_file():
        dead_links(page, text)
others = [root / name for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]]
others += (root / "Sources/Guide/Development").glob("*.md")
for page in others:
    dead_links(page, page.read_text())
# Each page is reached from README.md.
reached, found = set(), [root / "README.md"]
while found:
    page = found.pop()
    if page not in reached and page.is_file():
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#]+\.md)[^)]*\)", page.read_text())
        found += [(page.parent / link).resolve() for link in links if ":" not in link]
problems += [f"{page.relative_to(root)}: no link leads there from README.md" for page in [*pages, *others] if page not in reached]
if problems:
    sys.exit("\n".join(problems))
