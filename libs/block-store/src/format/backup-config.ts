import { parseQuantity, wholeUnits } from '@lateen/kube';
import { isBlockHash } from '../names/block-hash.ts';
import { type BlockList, BlockListBuilder } from './block-list.ts';
import { type CompressionMethod, methodNamed, methodWhenAbsent } from './compression-method.ts';
import {
  FieldError,
  type Fields,
  flagField,
  jsonFields,
  mapField,
  numberField,
  otherFields,
  type TextMap,
  textField,
} from './config-field.ts';
import { damagedFile } from './damaged-file.ts';
import { ConfigScanner } from './scan-config.ts';

/** `backup_<name>.cfg` without its blocks. */
export interface BackupSummary {
  readonly name: string;
  readonly volumeName: string;
  readonly snapshotName: string;
  readonly snapshotCreatedAt: string;
  /** When it was finished; "" while it is in progress, and permanently if its process died. */
  readonly createdTime: string;
  /** Number of blocks x size of a block. */
  readonly sizeBytes: bigint;
  readonly labels: TextMap | null;
  readonly parameters: TextMap | null;
  /** It was made by a comparison with an earlier backup. */
  readonly isIncremental: boolean;
  readonly compressionMethod: CompressionMethod;
  /** Bytes after compression. */
  readonly newlyUploadedBytes: bigint;
  readonly reUploadedBytes: bigint;
  /** Fields of other versions, unchanged. */
  readonly other: Fields;
}

export interface StoredBackup extends BackupSummary {
  readonly blocks: BlockList;
}

const known: ReadonlySet<string> = new Set([
  'Name',
  'VolumeName',
  'SnapshotName',
  'SnapshotCreatedAt',
  'CreatedTime',
  'Size',
  'Labels',
  'Parameters',
  'IsIncremental',
  'CompressionMethod',
  'NewlyUploadedDataSize',
  'ReUploadedDataSize',
  'ProcessingBlocks',
  'Blocks',
  'SingleFile',
]);

const MiB = 1024 * 1024;
export const defaultBlockBytes = 2 * MiB;
/** The sizes that every reader of the format accepts. */
export const blockSizes: readonly number[] = [2 * MiB, 16 * MiB];
export const blockBytesParameter = 'backup-block-size';
export const modeParameter = 'backup-mode';

/** Blocks per chunk of text that is sent to the store. */
const blocksInPiece = 1_000;

/** @throws BLOCK_STORE_FILE naming `key`; what `pieces` throw */
export async function parseBackupConfig(pieces: AsyncIterable<Uint8Array>, key: string): Promise<StoredBackup> {
  const blocks = new BlockListBuilder();
  const scanner = new ConfigScanner((text) => addBlock(blocks, text));
  try {
    for await (const piece of pieces) scanner.push(piece);
    const fields = scanner.end();
    const listed = fields.Blocks ?? [];
    if (!Array.isArray(listed) || listed.length > 0) throw new FieldError('its list of blocks cannot be read');
    return { ...summaryOf(fields), blocks: blocks.build() };
  } catch (error) {
    throw error instanceof FieldError ? damagedFile(key, error.message, nextStep) : error;
  }
}

const nextStep =
  'Put back an earlier version of this file, or delete the backup. Until then no block of the volume is deleted.';

function summaryOf(fields: Fields): BackupSummary {
  return {
    name: textField(fields, 'Name'),
    volumeName: textField(fields, 'VolumeName'),
    snapshotName: textField(fields, 'SnapshotName'),
    snapshotCreatedAt: textField(fields, 'SnapshotCreatedAt'),
    createdTime: textField(fields, 'CreatedTime'),
    sizeBytes: numberField(fields, 'Size'),
    labels: mapField(fields, 'Labels'),
    parameters: mapField(fields, 'Parameters'),
    isIncremental: flagField(fields, 'IsIncremental'),
    compressionMethod: methodNamed(textField(fields, 'CompressionMethod', methodWhenAbsent)),
    newlyUploadedBytes: numberField(fields, 'NewlyUploadedDataSize'),
    reUploadedBytes: numberField(fields, 'ReUploadedDataSize'),
    other: otherFields(fields, known),
  };
}

/** The form of every writer; any other JSON is parsed as such. */
const usualBlock = /^\{"Offset":(\d{1,15}),"BlockChecksum":"([0-9a-f]{64})"\}$/;

function addBlock(blocks: BlockListBuilder, text: string): void {
  const usual = usualBlock.exec(text);
  const { Offset, BlockChecksum } =
    usual === null ? jsonFields(text) : { Offset: Number(usual[1]), BlockChecksum: usual[2] };
  const isBlock = Number.isSafeInteger(Offset) && Number(Offset) >= 0;
  if (!isBlock || typeof BlockChecksum !== 'string' || !isBlockHash(BlockChecksum)) {
    throw new FieldError('an entry of its list of blocks is not a block');
  }
  blocks.add(Number(Offset), BlockChecksum);
}

/** The file in chunks, its fields in the order that all writers use. */
export function* backupConfigPieces(backup: StoredBackup): Generator<Uint8Array> {
  const { blocks } = backup;
  const head = JSON.stringify({
    Name: backup.name,
    VolumeName: backup.volumeName,
    SnapshotName: backup.snapshotName,
    SnapshotCreatedAt: backup.snapshotCreatedAt,
    CreatedTime: backup.createdTime,
    Size: String(backup.sizeBytes),
    Labels: backup.labels,
    Parameters: backup.parameters,
    IsIncremental: backup.isIncremental,
    CompressionMethod: backup.compressionMethod,
    NewlyUploadedDataSize: String(backup.newlyUploadedBytes),
    ReUploadedDataSize: String(backup.reUploadedBytes),
    // Readers ignore it; Longhorn has these two forms.
    ProcessingBlocks: backup.isIncremental ? null : {},
  });
  const tail = JSON.stringify({ SingleFile: { FilePath: '' }, ...backup.other });
  let text = head.slice(0, -1);
  for (let at = 0; at < blocks.length; at++) {
    text += `${at === 0 ? ',"Blocks":[' : ','}{"Offset":${blocks.offsetAt(at)},"BlockChecksum":"${blocks.checksumAt(at)}"}`;
    if ((at + 1) % blocksInPiece !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}${blocks.length === 0 ? '' : ']'},${tail.slice(1)}`);
}

/** Undefined for an invalid size. */
export function blockBytesOf({ parameters }: Pick<BackupSummary, 'parameters'>): number | undefined {
  const text = parameters?.[blockBytesParameter] ?? '';
  if (text === '') return defaultBlockBytes;
  const quantity = parseQuantity(text);
  const bytes = quantity === undefined ? -1n : wholeUnits(quantity);
  if (bytes === 0n) return defaultBlockBytes;
  return bytes > 0n && bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : undefined;
}

export const isInProgress = ({ createdTime }: Pick<BackupSummary, 'createdTime'>): boolean => createdTime === '';
