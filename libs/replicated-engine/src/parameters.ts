import { type BlockSource, blockVolumeError, type Parameters } from '@lateen/block-engine';
import { parseBoolean } from '@lateen/kernel';
import {
  dataLayoutTypes,
  recurringJobGroupLabel,
  recurringJobLabel,
  replicaAutoBalances,
  settingOverrides,
  storageLabelValues,
  type VolumeSpec,
} from '@lateen/storage-types';
import { sourceOfText } from './volume-source.ts';

/** What the parameters of a storage class say of a volume. */
export interface VolumeParameters {
  /** Only what was said. */
  readonly spec: VolumeSpec;
  /** For the Volume: its recurring jobs. */
  readonly labels: Readonly<Record<string, string>>;
  readonly source?: BlockSource;
}

type Reader = (value: string, name: string) => Partial<VolumeSpec>;

const text =
  (field: keyof VolumeSpec): Reader =>
  (value) => ({ [field]: value });

const number =
  (field: keyof VolumeSpec): Reader =>
  (value, name) => {
    if (!/^\d{1,9}$/.test(value)) throw wrong(name, value, 'a whole number');
    return { [field]: Number(value) };
  };

const flag =
  (field: keyof VolumeSpec): Reader =>
  (value, name) => ({ [field]: flagOf(value, name) });

const oneOf =
  (field: keyof VolumeSpec, words: readonly string[]): Reader =>
  (value, name) => {
    if (!words.includes(value)) throw wrong(name, value, `one of ${words.join(', ')}`);
    return { [field]: value };
  };

const tags =
  (field: keyof VolumeSpec): Reader =>
  (value) => ({
    [field]: value
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  });

const blockSizes: Readonly<Record<string, NonNullable<VolumeSpec['backupBlockSize']>>> = {
  '2Mi': '2097152',
  '2097152': '2097152',
  '16Mi': '16777216',
  '16777216': '16777216',
};

const backupBlockSize: Reader = (value, name) => {
  const bytes = blockSizes[value];
  if (bytes === undefined) throw wrong(name, value, '2Mi or 16Mi');
  return { backupBlockSize: bytes };
};

/** Only one of an image's fields says that a volume is made of it. */
const nothing: Reader = () => ({});

/** Names of Longhorn, as its StorageClasses have them. */
const readers: Readonly<Record<string, Reader>> = {
  numberOfReplicas: number('numberOfReplicas'),
  staleReplicaTimeout: number('staleReplicaTimeout'),
  fromBackup: nothing,
  dataSource: nothing,
  dataLocality: text('dataLocality'),
  dataEngine: text('dataEngine'),
  frontend: text('frontend'),
  diskSelector: tags('diskSelector'),
  nodeSelector: tags('nodeSelector'),
  recurringJobSelector: nothing,
  replicaAutoBalance: oneOf('replicaAutoBalance', replicaAutoBalances),
  replicaSoftAntiAffinity: oneOf('replicaSoftAntiAffinity', settingOverrides),
  replicaZoneSoftAntiAffinity: oneOf('replicaZoneSoftAntiAffinity', settingOverrides),
  replicaDiskSoftAntiAffinity: oneOf('replicaDiskSoftAntiAffinity', settingOverrides),
  encrypted: flag('encrypted'),
  migratable: flag('migratable'),
  share: (value, name) => (flagOf(value, name) ? { accessMode: 'rwx' } : {}),
  exclusive: (value, name) => (flagOf(value, name) ? { accessMode: 'rwop' } : {}),
  disableRevisionCounter: flag('revisionCounterDisabled'),
  unmapMarkSnapChainRemoved: oneOf('unmapMarkSnapChainRemoved', settingOverrides),
  freezeFilesystemForSnapshot: oneOf('freezeFilesystemForSnapshot', settingOverrides),
  backupTargetName: text('backupTargetName'),
  backupBlockSize,
  cloneMode: oneOf('cloneMode', ['full-copy', 'linked-clone']),
  // Whether a volume is kept to the topology that was asked for; read by the driver, for the volume has no such field.
  strictTopology: (value, name) => {
    flagOf(value, name);
    return {};
  },
  ublkQueueDepth: number('ublkQueueDepth'),
  ublkNumberOfQueue: number('ublkNumberOfQueue'),
  backingImage: text('backingImage'),
  backingImageDataSourceType: nothing,
  backingImageDataSourceParameters: nothing,
  backingImageChecksum: nothing,
  'dataLayout.type': (value, name) => {
    const type = dataLayoutTypes.find((each) => each !== '' && each === value);
    if (type === undefined) throw wrong(name, value, 'replicated or sharded');
    return { dataLayout: { type } };
  },
  // Of shards, which are refused by their type.
  'dataLayout.mode': nothing,
  'dataLayout.dataChunks': nothing,
  'dataLayout.parityChunks': nothing,
  'dataLayout.stripSizeKB': nothing,
};

/** @throws AppError `INVALID_ARGUMENT` naming the parameter */
export function readParameters(parameters: Parameters): VolumeParameters {
  const spec: VolumeSpec = {};
  for (const [name, value] of Object.entries(parameters)) {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined) {
      throw blockVolumeError('INVALID_ARGUMENT', `there is no parameter ${JSON.stringify(name)} of volumes`, {
        nextStep: 'Remove it from the StorageClass.',
      });
    }
    Object.assign(spec, reader(value, name));
  }
  const { dataSource = '', fromBackup = '', recurringJobSelector = '' } = parameters;
  const source: BlockSource | undefined =
    fromBackup !== '' ? { kind: 'backup', url: fromBackup } : dataSource === '' ? undefined : sourceOfText(dataSource);
  return { spec, labels: jobLabels(recurringJobSelector), ...(source === undefined ? {} : { source }) };
}

function flagOf(value: string, name: string): boolean {
  const parsed = parseBoolean(value);
  if (parsed === undefined) throw wrong(name, value, 'true or false');
  return parsed;
}

/** As Longhorn has them: a JSON list of `{"name": "nightly", "isGroup": false}`. */
function jobLabels(json: string): Record<string, string> {
  if (json === '') return {};
  const list = parsedList(json);
  return Object.fromEntries(
    list.map(({ name, isGroup }) => {
      const key = isGroup === true ? recurringJobGroupLabel(name) : recurringJobLabel(name);
      return [key, storageLabelValues.enabled];
    }),
  );
}

function parsedList(json: string): { name: string; isGroup?: unknown }[] {
  const parse = (): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      return undefined;
    }
  };
  const list = parse();
  const isWhole = Array.isArray(list) && list.every((each) => typeof each?.name === 'string' && each.name !== '');
  if (!isWhole) throw wrong('recurringJobSelector', json, 'a JSON list of objects with a name and isGroup');
  return list;
}

const wrong = (name: string, value: string, expected: string) =>
  blockVolumeError('INVALID_ARGUMENT', `parameter ${name} ${JSON.stringify(value)} is not ${expected}`, {
    nextStep: 'Correct it in the StorageClass.',
  });
