import { type CompressionMethod, methodNamed, methodWhenAbsent } from './compression-method.ts';
import {
  FieldError,
  type Fields,
  jsonFields,
  mapField,
  numberField,
  otherFields,
  quotedField,
  type TextMap,
  textField,
} from './config-field.ts';
import { damagedFile } from './damaged-file.ts';

/** `volume.cfg`: what is known of a volume beside its backups. */
export interface StoredVolume {
  readonly name: string;
  /** At the last backup. */
  readonly sizeBytes: bigint;
  /** Of the last backup. */
  readonly labels: TextMap | null;
  readonly createdTime: string;
  /** "" when there is none. */
  readonly lastBackupName: string;
  readonly lastBackupAt: string;
  readonly blockCount: bigint;
  readonly backingImageName: string;
  readonly backingImageChecksum: string;
  /** Rules all backups of the volume. */
  readonly compressionMethod: CompressionMethod;
  readonly storageClassName: string;
  readonly dataEngine: string;
  /** Fields of other versions, as they were read. */
  readonly other: Fields;
}

const known: ReadonlySet<string> = new Set([
  'Name',
  'Size',
  'Labels',
  'CreatedTime',
  'LastBackupName',
  'LastBackupAt',
  'BlockCount',
  'BackingImageName',
  'BackingImageChecksum',
  'CompressionMethod',
  'StorageClassName',
  'DataEngine',
]);

const nextStep =
  'Put back an earlier version of this file, or delete it: the next backup writes it again, with the backups that are there.';

/** @throws BLOCK_STORE_FILE naming `key` */
export function parseVolumeConfig(text: string, key: string): StoredVolume {
  try {
    const fields = jsonFields(text);
    return {
      name: textField(fields, 'Name'),
      sizeBytes: numberField(fields, 'Size'),
      labels: mapField(fields, 'Labels'),
      createdTime: textField(fields, 'CreatedTime'),
      lastBackupName: textField(fields, 'LastBackupName'),
      lastBackupAt: textField(fields, 'LastBackupAt'),
      blockCount: numberField(fields, 'BlockCount'),
      backingImageName: quotedField(fields, 'BackingImageName'),
      backingImageChecksum: quotedField(fields, 'BackingImageChecksum'),
      compressionMethod: methodNamed(quotedField(fields, 'CompressionMethod', methodWhenAbsent)),
      storageClassName: quotedField(fields, 'StorageClassName'),
      dataEngine: quotedField(fields, 'DataEngine', 'v1'),
      other: otherFields(fields, known),
    };
  } catch (error) {
    throw error instanceof FieldError ? damagedFile(key, error.message, nextStep) : error;
  }
}

/** One line, its fields in the order in which all writers have them. */
export function volumeConfigText(volume: StoredVolume): string {
  return JSON.stringify({
    Name: volume.name,
    Size: String(volume.sizeBytes),
    Labels: volume.labels,
    CreatedTime: volume.createdTime,
    LastBackupName: volume.lastBackupName,
    LastBackupAt: volume.lastBackupAt,
    BlockCount: String(volume.blockCount),
    // A reader of Longhorn takes no others: each is JSON in a text.
    BackingImageName: JSON.stringify(volume.backingImageName),
    BackingImageChecksum: JSON.stringify(volume.backingImageChecksum),
    CompressionMethod: JSON.stringify(volume.compressionMethod),
    StorageClassName: JSON.stringify(volume.storageClassName),
    DataEngine: JSON.stringify(volume.dataEngine),
    ...volume.other,
  });
}
