import { describe, expect, it } from 'vitest';
import { blockHash } from './block-hash.ts';
import { checkStoreName, isListedVolume } from './store-names.ts';
import { backupOfKey, blockOfKey, lockOfKey, storePaths } from './store-paths.ts';
import { backupUrl, parseBackupUrl, parseTargetUrl } from './target-url.ts';

describe('keys', () => {
  const paths = storePaths('/a/b/').volume('vol');
  const hash = blockHash('x');

  it('are those of Longhorn', () => {
    expect(storePaths('').volume('vol').config).toBe('backupstore/volumes/47/e3/vol/volume.cfg');
    expect(paths.config).toBe('a/b/backupstore/volumes/47/e3/vol/volume.cfg');
    expect(paths.backup('backup-1')).toBe('a/b/backupstore/volumes/47/e3/vol/backups/backup_backup-1.cfg');
    expect(paths.lock('lock-1')).toBe('a/b/backupstore/volumes/47/e3/vol/locks/lock-1.lck');
    const spread = `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;
    expect(paths.block(hash)).toBe(`a/b/backupstore/volumes/47/e3/vol/blocks/${spread}.blk`);
  });

  it('are parsed to what their file is, and other keys are rejected', () => {
    expect(backupOfKey(paths, paths.backup('backup-1'))).toBe('backup-1');
    expect(blockOfKey(paths, paths.block(hash))).toBe(hash);
    expect(lockOfKey(paths, paths.lock('lock-zz'))).toBe('lock-zz');
    expect(backupOfKey(paths, `${paths.backup('backup-1')}.tmp.123`)).toBeUndefined();
    expect(backupOfKey(paths, `${paths.backups}old/backup_x1.cfg`)).toBeUndefined();
    expect(blockOfKey(paths, `${paths.blocks}00/00/${hash}.blk`)).toBeUndefined();
    expect(blockOfKey(paths, `${paths.block(hash)}.tmp.1`)).toBeUndefined();
    expect(lockOfKey(paths, `${paths.locks}README`)).toBeUndefined();
  });
});

describe('names', () => {
  it.each(['', 'a', '-a', '.a', '../a', 'a/b', 'a b', 'ä1', 'a\n'])('rejects %j', (name) => {
    expect(() => checkStoreName('volume', name)).toThrow(expect.objectContaining({ code: 'BLOCK_STORE_NAME' }));
  });
  it('of volumes are listed in lower case only', () => {
    expect(['pvc-1', 'BACKINGIMAGE', 'Vol'].map(isListedVolume)).toEqual([true, false, false]);
  });
});

describe('parseTargetUrl', () => {
  it.each([
    ['s3://bucket@eu-1/a/b/', { kind: 's3', bucket: 'bucket', region: 'eu-1', path: 'a/b' }],
    ['s3://bucket@eu-1/', { kind: 's3', bucket: 'bucket', region: 'eu-1', path: '' }],
    ['s3://bucket/a', { kind: 's3', bucket: 'bucket', region: undefined, path: 'a' }],
    ['file:///var/backups/', { kind: 'directory', path: 'var/backups' }],
    ['vfs:///a/b', { kind: 'directory', path: 'a/b' }],
    ['nfs://server:/export/a', { kind: 'nfs', server: 'server', path: 'export/a', options: undefined }],
    ['nfs://[::1]:/a?nfsOptions=soft,ro', { kind: 'nfs', server: '[::1]', path: 'a', options: 'soft,ro' }],
  ])('reads %s', (url, target) => expect(parseTargetUrl(url)).toEqual(target));

  it.each([
    ['', 'BACKUP_TARGET_URL'],
    ['bucket', 'BACKUP_TARGET_URL'],
    ['http://a/b', 'BACKUP_TARGET_URL'],
    ['s3://', 'BACKUP_TARGET_URL'],
    ['s3://b@r/a/../c', 'BACKUP_TARGET_URL'],
    ['s3://b@r/a?x=1', 'BACKUP_TARGET_URL'],
    ['nfs://server/a', 'BACKUP_TARGET_URL'],
    ['nfs://server:/a/../b', 'BACKUP_TARGET_URL'],
    ['file:///', 'BACKUP_TARGET_URL'],
    ['file://host/a', 'BACKUP_TARGET_URL'],
    ['file:///a/../b', 'BACKUP_TARGET_URL'],
    ['file:///a?x=1', 'BACKUP_TARGET_URL'],
    ['cifs://server/share', 'BACKUP_TARGET_UNSUPPORTED'],
    ['azblob://c@core.windows.net/a', 'BACKUP_TARGET_UNSUPPORTED'],
  ])('rejects %j: %s', (url, code) => {
    expect(() => parseTargetUrl(url)).toThrow(
      expect.objectContaining({ code, nextStep: expect.stringContaining('s3://bucket@region/path/') }),
    );
  });
});

describe('backupUrl', () => {
  it('contains backup and volume in the order of Longhorn', () => {
    const url = backupUrl('s3://b@r/a/', { volume: 'vol', backup: 'backup-1' });
    expect(url).toBe('s3://b@r/a/?backup=backup-1&volume=vol');
    expect(parseBackupUrl(url)).toEqual({ target: 's3://b@r/a/', volume: 'vol', backup: 'backup-1' });
    expect(backupUrl('s3://b@r/', { volume: 'vol' })).toBe('s3://b@r/?volume=vol');
  });
  it('keeps the options of a mount', () => {
    const url = backupUrl('nfs://s:/a?nfsOptions=soft,ro', { volume: 'vol', backup: 'backup-1' });
    expect(url).toBe('nfs://s:/a?backup=backup-1&nfsOptions=soft%2Cro&volume=vol');
    expect(parseTargetUrl(parseBackupUrl(url).target)).toMatchObject({ options: 'soft,ro' });
  });
  it.each([
    ['s3://b@r/', 'BACKUP_TARGET_URL'],
    ['s3://b@r/?volume=../x', 'BLOCK_STORE_NAME'],
    ['s3://b@r/?volume=vol&backup=/', 'BLOCK_STORE_NAME'],
  ])('rejects %s', (url, code) => expect(() => parseBackupUrl(url)).toThrow(expect.objectContaining({ code })));
});
