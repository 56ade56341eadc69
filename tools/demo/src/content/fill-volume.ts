import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PodShell } from '../pod-shell.ts';
import { parseTree, type TreeEntry } from '../tree/tree-entry.ts';
import type { SourceFolder } from './source-folder.ts';

export const volumePath = '/data';

const script = (...path: string[]): string => readFileSync(join(import.meta.dirname, '..', ...path), 'utf8');

/** Fills the demo's volume: a real file tree, entries that are easily lost, and one big file that cannot be compressed. */
export async function fillVolume(shell: PodShell, source: SourceFolder, bigFileBytes: number): Promise<void> {
  await shell.run(['mkdir', '-p', `${volumePath}/tree`]);
  await shell.feed(['tar', '-C', source.path, '-cf', '-', '.'], ['tar', '-C', `${volumePath}/tree`, '-xf', '-']);
  await shell.run(['sh', '-s', '--', volumePath], script('content', 'special-entries.sh'));
  await shell.run([
    'sh',
    '-c',
    `head -c ${bigFileBytes} /dev/urandom > ${volumePath}/big-file.bin && sync -f ${volumePath}`,
  ]);
}

/** Changes 1 % of the tree's files. Resolves with their number. */
export async function changeFiles(shell: PodShell): Promise<number> {
  const printed = await shell.run(['sh', '-s', '--', volumePath], script('content', 'change-files.sh'));
  await shell.run(['sync', '-f', volumePath]);
  return Number(printed.trim());
}

export async function readTree(shell: PodShell): Promise<TreeEntry[]> {
  return parseTree(await shell.run(['node', '--input-type=module', '-', volumePath], script('tree', 'read-tree.mjs')));
}
