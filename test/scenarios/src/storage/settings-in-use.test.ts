import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingDefinitions } from '@lateen/volume-decisions';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const isSource = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('node_modules') && !path.includes('/dist/');
/** Files that define settings and do not use them. */
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

// Five settings once claimed to have an effect, but no code read them, and users were not told.
it('each setting that claims an effect is read by some code', () => {
  const read = readNames();
  const acting = settingDefinitions.filter(({ effect }) => effect === 'acts').map(({ name }) => name);
  expect(acting.length).toBeGreaterThan(50);
  expect(acting.filter((name) => !read.has(name))).toEqual([]);
});
