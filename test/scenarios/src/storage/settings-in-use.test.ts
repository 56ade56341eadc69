import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingDefinitions } from '@lateen/volume-decisions';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const isSource = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('node_modules') && !path.includes('/dist/');
/** Where a setting is what it is, and not read. */
const isTable = (path: string): boolean => path.includes('/settings/table/') || path.endsWith('/setting-syntax.ts');

function readNames(): ReadonlySet<string> {
  const folders = ['libs/volume-decisions', 'libs/volume-controllers', 'libs/replicated-engine', 'libs/operations'];
  const names = new Set<string>();
  for (const folder of [...folders, 'apps/volume-manager'])
    for (const path of readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })) {
      if (!isSource(path) || isTable(`/${path}`)) continue;
      const text = readFileSync(join(root, folder, 'src', path), 'utf8');
      for (const [, name = ''] of text.matchAll(/'([a-z0-9]+(?:-[a-z0-9]+)+)'/g)) names.add(name);
    }
  return names;
}

// Five settings once said that they act, and nothing read them: whoever set one was told nothing.
it('each setting that says it acts is read by something', () => {
  const read = readNames();
  const acting = settingDefinitions.filter(({ effect }) => effect === 'acts').map(({ name }) => name);
  expect(acting.length).toBeGreaterThan(50);
  expect(acting.filter((name) => !read.has(name))).toEqual([]);
});
