import { join } from 'node:path/posix';
import { citationsIn, decisionsIn } from './citations.ts';
import { type Pages, withoutFences } from './pages.ts';

/**
 * References in the text of one file that do not exist in the repository: pages, places in them, decisions, and link targets of a Markdown
 * file. Formatted as `path:line: what, and what instead`.
 * @param path from the root of the workspace, with "/"
 */
export function checkCitations(path: string, text: string, pages: Pages): string[] {
  return [...citedPages(path, text, pages), ...citedDecisions(path, text, pages), ...links(path, text, pages)];
}

function citedPages(path: string, text: string, pages: Pages): string[] {
  return citationsIn(text).flatMap(({ line, page, sections, name }) => {
    const where = `${path}:${line}`;
    const found = pages.find(page, path);
    if (found === undefined) return [`${where}: the page ${page} does not exist; write it, or give its full path`];
    if (sections.length === 0 && name === undefined) return [];
    const { numbers, names } = pages.placesOf(found);
    return [
      ...sections.filter((section) => !numbers.has(section)).map((section) => `section ${section}`),
      ...(name === undefined || names.has(name) ? [] : [`"${name}"`]),
    ].map((missing) => `${where}: ${found} has no ${missing}`);
  });
}

function citedDecisions(path: string, text: string, pages: Pages): string[] {
  return decisionsIn(text)
    .filter(({ number }) => !pages.hasDecision(number))
    .map(({ line, number }) => `${path}:${line}: docs/adr has no decision ${number}`);
}

function links(path: string, text: string, pages: Pages): string[] {
  if (!path.endsWith('.md')) return [];
  const prose = withoutFences(text).replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  return prose.split('\n').flatMap((content, index) =>
    Array.from(content.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => brokenLink(path, target, pages))
      .filter((missing) => missing !== undefined)
      .map((missing) => `${path}:${index + 1}: a link leads to ${missing}, which does not exist`),
  );
}

/** The missing part of a link's target; undefined when it exists, or is outside of this repository. */
function brokenLink(path: string, target: string, pages: Pages): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [file = '', anchor] = target.split('#');
  const page = file === '' ? path : join(path, '..', file);
  if (!pages.has(page)) return page;
  if (anchor === undefined || !page.endsWith('.md')) return undefined;
  return pages.placesOf(page).anchors.has(anchor) ? undefined : `${page}#${anchor}`;
}
