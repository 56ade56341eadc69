import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGenerated } from './drift.ts';

/** The YAML files in a folder by name; none when the folder does not exist. */
export function readYamlFiles(folder: string): Map<string, string> {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Writes changed files and deletes generated files that are no longer wanted. Returns the names of these files. */
export function writeFiles(folder: string, wanted: ReadonlyMap<string, string>): string[] {
  const before = readYamlFiles(folder);
  mkdirSync(folder, { recursive: true });
  const touched: string[] = [];
  for (const [name, text] of wanted) {
    if (before.get(name) === text) continue;
    writeFileSync(join(folder, name), text);
    touched.push(name);
  }
  for (const [name, text] of before) {
    if (wanted.has(name) || !isGenerated(text)) continue;
    rmSync(join(folder, name));
    touched.push(name);
  }
  return touched;
}
