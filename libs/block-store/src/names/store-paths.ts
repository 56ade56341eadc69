import { blockHash, isBlockHash } from './block-hash.ts';
import { checkStoreName, isStoreName } from './store-names.ts';

/** Keys of what belongs to one volume. Folders end in "/". */
export interface VolumePaths {
  readonly folder: string;
  readonly config: string;
  readonly backups: string;
  readonly blocks: string;
  readonly locks: string;
  /** @throws BLOCK_STORE_NAME */
  backup(name: string): string;
  block(hash: string): string;
  lock(name: string): string;
}

export interface StorePaths {
  /** All volumes: two levels of hashes, then the volume. */
  readonly volumes: string;
  /** @throws BLOCK_STORE_NAME */
  volume(name: string): VolumePaths;
}

/** @param path of the backup target, with or without slashes around it */
export function storePaths(path: string): StorePaths {
  const base = [...path.split('/').filter((part) => part !== ''), 'backupstore'].join('/');
  const volumes = `${base}/volumes/`;
  return {
    volumes,
    volume: (name) => {
      checkStoreName('volume', name);
      return volumePaths(`${volumes}${spread(blockHash(name))}/${name}/`);
    },
  };
}

function volumePaths(folder: string): VolumePaths {
  const [backups, blocks, locks] = [`${folder}backups/`, `${folder}blocks/`, `${folder}locks/`];
  return {
    folder,
    config: `${folder}volume.cfg`,
    backups,
    blocks,
    locks,
    backup: (name) => {
      checkStoreName('backup', name);
      return `${backups}backup_${name}.cfg`;
    },
    block: (hash) => `${blocks}${spread(hash)}/${hash}.blk`,
    lock: (name) => `${locks}${name}.lck`,
  };
}

/** The backup of a file; undefined for any other file in the folder. */
export const backupOfKey = (paths: VolumePaths, key: string): string | undefined =>
  named(key, `${paths.backups}backup_`, '.cfg', isStoreName);

/** The block of a file at the path where readers look for it. */
export function blockOfKey(paths: VolumePaths, key: string): string | undefined {
  const hash = named(key.slice(key.lastIndexOf('/') + 1), '', '.blk', isBlockHash);
  return hash !== undefined && key === paths.block(hash) ? hash : undefined;
}

/** The lock of a file. Any name counts, because a lock that is ignored protects nothing. */
export const lockOfKey = (paths: VolumePaths, key: string): string | undefined =>
  named(key, paths.locks, '.lck', (name) => name.startsWith('lock-') && !name.includes('/'));

function named(key: string, before: string, after: string, is: (name: string) => boolean): string | undefined {
  if (!key.startsWith(before) || !key.endsWith(after)) return undefined;
  const name = key.slice(before.length, -after.length);
  return is(name) ? name : undefined;
}

/** Two levels of folders, so that none has too many entries. */
const spread = (hash: string): string => `${hash.slice(0, 2)}/${hash.slice(2, 4)}`;
