import { type Backup, isObjectName, type KubeObject, type PodVolumeBackup } from '@lateen/api-types';
import type { ObjectStore } from '@lateen/object-store';
import { backupMetadataText, parseBackupMetadata } from '../files/backup-metadata.ts';
import { terminated } from '../files/document-lines.ts';
import { type BackupOperation, backupOperationsFile } from '../files/item-operations.ts';
import { type ItemOutcome, outcomesIn } from '../files/item-outcome.ts';
import { type NativeSnapshot, nativeSnapshotsFile } from '../files/native-snapshots.ts';
import {
  entriesOf,
  type ResourceList,
  type ResourceListEntry,
  resourceListFile,
  resourceListText,
} from '../files/resource-list.ts';
import { type Results, resultsFile } from '../files/results.ts';
import { objectsFile } from '../files/stored-objects.ts';
import { type BackupVolumeInfo, volumeInfoFile } from '../files/volume-info.ts';
import type { JsonFile } from '../json/json-file.ts';
import { type BackupFile, backupFiles, backupKey } from '../keys/backup-key.ts';
import { directoryIn, directoryOfAll } from '../keys/directories.ts';
import { fileBytesMax } from '../read/file-limits.ts';
import { readText } from '../read/read-file.ts';
import { deleteDirectory } from './delete-directory.ts';
import { about, type FileStore, fileStore, type StoreOptions } from './file-store.ts';

/**
 * The backups of one location. Files that are not there read as empty, as Velero takes them; volume info, which older backups do not have, as
 * undefined. Reading is bounded.
 * @throws BACKUP_NAME_INVALID, BACKUP_FILE_BROKEN, BACKUP_FILE_TOO_LARGE, and what the ObjectStore throws
 */
export interface BackupStore {
  /** Whether its `velero-backup.json` is there; nothing else counts. */
  exists(backup: string, options?: StoreOptions): Promise<boolean>;
  /** Names of directories, sorted; `exists` reports whether there is a backup in it. Names that a Backup cannot have are left out. */
  listBackups(options?: StoreOptions): Promise<string[]>;
  /** With everything that is in it, numbers as they were written. @returns undefined when there is none */
  getBackup(backup: string, options?: StoreOptions): Promise<Backup | undefined>;
  putBackup(backup: Backup, options?: StoreOptions): Promise<void>;

  /** Takes the tar.gz as it is made, with bounded memory. When it fails the writer of `pieces` fails too, and no object is left. */
  writeArchive(backup: string, pieces: AsyncIterable<Uint8Array>, options?: StoreOptions): Promise<void>;
  /** The tar.gz as it is stored. @throws OBJECT_NOT_FOUND */
  readArchive(backup: string, options?: StoreOptions): AsyncIterable<Uint8Array>;

  getItemOperations(backup: string, options?: StoreOptions): Promise<BackupOperation[]>;
  putItemOperations(backup: string, operations: readonly BackupOperation[], options?: StoreOptions): Promise<void>;
  getVolumeInfo(backup: string, options?: StoreOptions): Promise<BackupVolumeInfo[] | undefined>;
  putVolumeInfo(backup: string, volumes: readonly BackupVolumeInfo[], options?: StoreOptions): Promise<void>;
  getResults(backup: string, options?: StoreOptions): Promise<Results>;
  putResults(backup: string, results: Results, options?: StoreOptions): Promise<void>;
  getResourceList(backup: string, options?: StoreOptions): Promise<ResourceList>;
  /** Entries are written in the order of input, which the caller sorts; a whole list is sorted here. */
  putResourceList(
    backup: string,
    entries: AsyncIterable<ResourceListEntry> | Iterable<ResourceListEntry> | ResourceList,
    options?: StoreOptions,
  ): Promise<void>;
  getPodVolumeBackups(backup: string, options?: StoreOptions): Promise<PodVolumeBackup[]>;
  putPodVolumeBackups(backup: string, objects: readonly PodVolumeBackup[], options?: StoreOptions): Promise<void>;
  getVolumeSnapshots(backup: string, options?: StoreOptions): Promise<NativeSnapshot[]>;
  putVolumeSnapshots(backup: string, snapshots: readonly NativeSnapshot[], options?: StoreOptions): Promise<void>;
  /** VolumeSnapshots, contents and classes: only older backups have them. */
  getCsiVolumeSnapshots(backup: string, options?: StoreOptions): Promise<KubeObject[]>;
  getCsiVolumeSnapshotContents(backup: string, options?: StoreOptions): Promise<KubeObject[]>;
  getCsiVolumeSnapshotClasses(backup: string, options?: StoreOptions): Promise<KubeObject[]>;

  /** The text of the log; it is packed on its way. */
  putLog(backup: string, pieces: AsyncIterable<string | Uint8Array>, options?: StoreOptions): Promise<void>;
  /** One JSON document each (`JSON.stringify` of an ItemOutcome), without line feeds; they are packed on their way. */
  writeItemOutcomes(
    backup: string,
    lines: AsyncIterable<string> | Iterable<string>,
    options?: StoreOptions,
  ): Promise<void>;
  /** None when there is no such file. */
  readItemOutcomes(backup: string, options?: StoreOptions): AsyncIterable<ItemOutcome>;

  /** Everything of the backup but the file to keep, `velero-backup.json` last. Safe to repeat. */
  deleteBackup(backup: string, options?: StoreOptions & { keep?: BackupFile | undefined }): Promise<void>;
  /**
   * Removes the remains of unfinished writes of its files (`ObjectStore.endAbandonedWrites`). The caller makes sure that no process
   * works on the backup. @returns the number of removed writes
   */
  endAbandonedWrites(backup: string, options?: StoreOptions): Promise<number>;
}

/** @param prefix of the location, without slashes around, "" for none */
export function backupStore(store: ObjectStore, prefix: string): BackupStore {
  const files = fileStore(store);
  const key = (backup: string, file: BackupFile) => backupKey(prefix, backup, file);
  return {
    ...ofDirectory(store, prefix, key),
    ...ofLists(files, key),
    writeArchive: async (backup, pieces, options) => files.writePacked(key(backup, 'archive'), pieces, options),
    readArchive: (backup, { signal } = {}) => store.read(key(backup, 'archive'), { signal }),
    putLog: async (backup, pieces, options) => files.write(key(backup, 'log'), pieces, options),
    writeItemOutcomes: async (backup, lines, options) =>
      files.write(key(backup, 'itemOutcomes'), terminated(lines), options),
    readItemOutcomes: (backup, { signal } = {}) => files.lines(outcomesIn, key(backup, 'itemOutcomes'), { signal }),
  };
}

type Key = (backup: string, file: BackupFile) => string;

type Directory = Pick<
  BackupStore,
  'exists' | 'listBackups' | 'getBackup' | 'putBackup' | 'deleteBackup' | 'endAbandonedWrites'
>;

function ofDirectory(store: ObjectStore, prefix: string, key: Key): Directory {
  return {
    exists: async (backup, { signal } = {}) => store.exists(key(backup, 'metadata'), { signal }),
    listBackups: async ({ signal } = {}) => {
      const names = await store.listCommonPrefixes(directoryOfAll(prefix, 'backups'), { signal });
      return names.filter(isObjectName);
    },
    getBackup: async (backup, { signal } = {}) => {
      const at = key(backup, 'metadata');
      const text = await readText(store, { key: at, packed: false, bytesMax: fileBytesMax.metadata, signal });
      return text === undefined ? undefined : about(at, () => parseBackupMetadata(text, backup));
    },
    putBackup: async (backup, { signal } = {}) => {
      const body = Buffer.from(backupMetadataText(backup));
      await store.put(key(backup.metadata.name ?? '', 'metadata'), body, { signal });
    },
    deleteBackup: async (backup, { keep, ...options } = {}) => {
      const directory = directoryIn(prefix, 'backups', backup);
      const kept = keep === undefined ? undefined : key(backup, keep);
      await deleteDirectory(store, { directory, last: key(backup, 'metadata'), keep: kept }, options);
    },
    endAbandonedWrites: async (backup, { signal } = {}) => {
      const keys = backupFiles.map((file) => key(backup, file));
      const counts = await Promise.all(keys.map((at) => store.endAbandonedWrites(at, { signal })));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

type Lists = Omit<
  BackupStore,
  keyof Directory | 'writeArchive' | 'readArchive' | 'putLog' | 'writeItemOutcomes' | 'readItemOutcomes'
>;

function ofLists(files: FileStore, key: Key): Lists {
  const get = async <T>(file: BackupFile, form: JsonFile<T>, backup: string, options?: StoreOptions) =>
    await files.get(form, key(backup, file), options);
  const put = async <T>(file: BackupFile, form: JsonFile<T>, backup: string, value: T, options?: StoreOptions) =>
    await files.put(form, key(backup, file), value, options);
  const objects = async (file: BackupFile, backup: string, options?: StoreOptions) =>
    (await get(file, csiObjectsFile, backup, options)) ?? [];
  return {
    getItemOperations: async (backup, options) =>
      (await get('itemOperations', backupOperationsFile, backup, options)) ?? [],
    putItemOperations: (backup, operations, options) =>
      put('itemOperations', backupOperationsFile, backup, [...operations], options),
    getVolumeInfo: (backup, options) => get('volumeInfo', volumeInfoFile, backup, options),
    putVolumeInfo: (backup, volumes, options) => put('volumeInfo', volumeInfoFile, backup, [...volumes], options),
    getResults: async (backup, options) =>
      (await get('results', resultsFile, backup, options)) ?? { warnings: {}, errors: {} },
    putResults: (backup, results, options) => put('results', resultsFile, backup, results, options),
    getResourceList: async (backup, options) => (await get('resourceList', resourceListFile, backup, options)) ?? {},
    putResourceList: async (backup, entries, options) =>
      files.write(key(backup, 'resourceList'), resourceListText(entriesOf(entries)), options),
    getPodVolumeBackups: async (backup, options) =>
      (await get('podVolumeBackups', podVolumeBackupsFile, backup, options)) ?? [],
    putPodVolumeBackups: (backup, objectsOfBackup, options) =>
      put('podVolumeBackups', podVolumeBackupsFile, backup, [...objectsOfBackup], options),
    getVolumeSnapshots: async (backup, options) =>
      (await get('volumeSnapshots', nativeSnapshotsFile, backup, options)) ?? [],
    putVolumeSnapshots: (backup, snapshots, options) =>
      put('volumeSnapshots', nativeSnapshotsFile, backup, [...snapshots], options),
    getCsiVolumeSnapshots: (backup, options) => objects('csiVolumeSnapshots', backup, options),
    getCsiVolumeSnapshotContents: (backup, options) => objects('csiVolumeSnapshotContents', backup, options),
    getCsiVolumeSnapshotClasses: (backup, options) => objects('csiVolumeSnapshotClasses', backup, options),
  };
}

const podVolumeBackupsFile = objectsFile<PodVolumeBackup>('the pod volume backups');
const csiObjectsFile = objectsFile<KubeObject>('the list of CSI objects');
