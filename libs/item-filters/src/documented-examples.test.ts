import { readFileSync } from 'node:fs';
import type { BackupSpec } from '@lateen/api-types';
import { dump, load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { validateBackupFilters } from './backup/validate-backup-filters.ts';
import { type Asked, ask, policiesOf } from './testing/ask.ts';

const guide = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8');

/** A block of YAML with the table that follows it. */
const examples = [...guide.matchAll(/```yaml example\n(.*?)```\n(.*?)\n\n/gs)].map(([, yaml = '', table = '']) => ({
  asked: askedOf(load(yaml) as { spec?: BackupSpec; policies?: object }),
  rows: table.split('\n').slice(2).map(rowOf),
}));

function askedOf({ spec = {}, policies }: { spec?: BackupSpec; policies?: object }): Asked {
  return { spec, ...(policies === undefined ? {} : { policies: dump(policies) }) };
}

/** `| object | labels | answer |` */
function rowOf(line: string) {
  const [, object = '', labels = '', answer = ''] = line.split('|').map((cell) => cell.trim());
  const [what = ''] = /(?<=`)[^`]+(?=`)/.exec(object) ?? [];
  const pairs = labels
    .replaceAll('`', '')
    .split(',')
    .filter((pair) => pair !== '');
  return {
    what,
    labels: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])),
    additional: object.endsWith('named by an action'),
    answer,
  };
}

describe('the examples of docs/filters.md', () => {
  it('are all found', () => {
    expect(examples.length).toBe(guide.match(/```yaml example/g)?.length);
    expect(examples.length).toBeGreaterThan(9);
    expect(examples.flatMap(({ rows }) => rows).every(({ what, answer }) => what !== '' && answer !== '')).toBe(true);
  });

  it('are backups that pass validation', () => {
    const errors = examples.flatMap(({ asked: { spec = {}, policies } }) =>
      validateBackupFilters(spec, policies === undefined ? undefined : policiesOf(policies)),
    );
    expect(errors).toEqual([]);
  });

  it.each(examples.flatMap(({ asked, rows }) => rows.map((row) => ({ asked, ...row }))))(
    '$what with labels $labels: $answer',
    ({ asked, what, labels, additional, answer }) => expect(ask(what, { ...asked, labels, additional })).toBe(answer),
  );
});
