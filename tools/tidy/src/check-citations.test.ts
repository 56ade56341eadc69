import { describe, expect, it } from 'vitest';
import { checkCitations } from './check-citations.ts';
import { citationsIn, decisionsIn } from './citations.ts';
import { Pages } from './pages.ts';

const files: Readonly<Record<string, string>> = {
  'docs/reference/api.md':
    '# The API\n\n## 17. ConfigMaps\n\n### 17.3 Repositories\n\n| key | what |\n|---|---|\n| Flow | x |\n',
  'docs/reference/after-1.18.1.md': '## 1D. Corrections\n### 1D.1 Waiting\n- **Policy**, which is written before\n',
  'docs/filters.md': '# Filters\n\n## What wins, and why\n\n```md\n# 9. Not a heading\n```\n',
  'docs/adr/0012-attempts.md': '# 0012 Attempts\n',
  'libs/x/README.md': '# @lateen/x\n\n## Memory\n',
  'libs/x/src/x.ts': '',
  'README.md': '# Lateen\n',
};
const pages = new Pages(Object.keys(files), (path) => files[path] ?? '');
const check = (text: string, path = 'libs/x/src/x.ts') => checkCitations(path, text, pages);

describe('citations in a text', () => {
  it.each([
    ['// api.md section 17.3', { page: 'api.md', sections: ['17.3'] }],
    ['(api.md sections 2, 9 and 10)', { page: 'api.md', sections: ['2', '9', '10'] }],
    ['api.md sections 2 to 4 of it', { page: 'api.md', sections: ['2', '4'] }],
    ['waits (api.md section 17), 2 at most', { page: 'api.md', sections: ['17'] }],
    ['after-1.18.1.md 1D.1.', { page: 'after-1.18.1.md', sections: ['1D.1'] }],
    [' * as in api.md\n * section 17.', { page: 'api.md', sections: ['17'] }],
    ['`api.md` section 17, "Flow"', { page: 'api.md', sections: ['17'], name: 'Flow' }],
    ['see README.md, "Memory"', { page: 'README.md', sections: [], name: 'Memory' }],
    ['docs/filters.md describes it', { page: 'docs/filters.md', sections: [] }],
    ["new URL('../../../docs/filters.md')", { page: '../../../docs/filters.md', sections: [] }],
  ])('%s', (text, expected) => expect(citationsIn(text)).toEqual([expect.objectContaining(expected)]));

  it('are not parts of a URL, of a pattern, or of a path that is composed', () => {
    const built = '$' + '{folder}/README.md';
    for (const text of ['https://example.com/doc/proto.md', '/cli\\.md/', built, "name.endsWith('.md')"])
      expect(citationsIn(text)).toEqual([]);
  });
  it('have the line on which they start', () => {
    expect(citationsIn('a\nb api.md\nc filters.md').map(({ line }) => line)).toEqual([2, 3]);
  });
  it('may be numbers of decisions, several at once and across lines', () => {
    const numbers = decisionsIn('ADR 0050, 0051 (ADRs 0031 and\n * 0040), docs/adr/0019-one.md').map(
      (found) => found.number,
    );
    expect(numbers).toEqual(['0050', '0051', '0031', '0040', '0019']);
  });
});

describe('the check of citations', () => {
  it('accepts sections, table rows, bold text, headings and pages that exist', () => {
    const text =
      'api.md section 17.3, "Flow"\nafter-1.18.1.md 1D.1, "Policy"\nREADME.md, "Memory"\ndocs/filters.md\nADR 0012';
    expect(check(text)).toEqual([]);
  });
  it('names a page that does not exist', () => {
    expect(check('\n// cluster.md section 2')).toEqual([
      expect.stringContaining('libs/x/src/x.ts:2: the page cluster.md does not exist'),
    ]);
  });
  it('names a section, and a quoted place, that the page does not have', () => {
    expect(check('api.md sections 17 and 18, "Nowhere"')).toEqual([
      'libs/x/src/x.ts:1: docs/reference/api.md has no section 18',
      'libs/x/src/x.ts:1: docs/reference/api.md has no "Nowhere"',
    ]);
  });
  it('ignores numbers in fenced code', () => {
    expect(check('docs/filters.md section 9')).toEqual(['libs/x/src/x.ts:1: docs/filters.md has no section 9']);
  });
  it('looks for a README in the package of the file first', () => {
    expect(check('README.md, "Memory"', 'libs/y/src/y.ts')).toEqual([
      expect.stringContaining('README.md has no "Memory"'),
    ]);
  });
  it('names a decision that does not exist', () => {
    expect(check('ADR 0013')).toEqual(['libs/x/src/x.ts:1: docs/adr has no decision 0013']);
  });
  it('follows links of Markdown files to files, folders and headings, and ignores external links', () => {
    const good =
      '[a](../README.md) [b](reference) [c](filters.md#what-wins-and-why) [d](https://x.example/y) `[e](nowhere)`';
    expect(check(good, 'docs/filters.md')).toEqual([]);
    expect(check('[a](gone.yaml) [b](filters.md#gone)', 'docs/page.md')).toEqual([
      'docs/page.md:1: a link leads to docs/gone.yaml, which does not exist',
      'docs/page.md:1: a link leads to docs/filters.md#gone, which does not exist',
    ]);
  });
});
