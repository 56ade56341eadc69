import { accessModes, dataEngines, dataLocalities, frontends, int64Of, type VolumeSpec } from '@lateen/storage-types';
import { parseDataSource } from '../clone/data-source.ts';
import { type Check, firstRefusal } from './check.ts';

export interface NewVolumeSeen {
  readonly name: string;
  /** The spec with all defaults filled in. */
  readonly spec: VolumeSpec;
  /** Tags that any node or disk has. */
  readonly nodeTags: ReadonlySet<string>;
  readonly diskTags: ReadonlySet<string>;
}
type NewVolumeCheck = Check<NewVolumeSeen>;

export const nameIsValid: NewVolumeCheck = ({ name }) =>
  /^[a-z0-9][a-z0-9_.-]+$/.test(name) ? undefined : `invalid name ${name}`;

/** The name becomes part of names of other objects, and the value of a label. */
export const nameIsDnsLabel: NewVolumeCheck = ({ name }) => {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return undefined;
  return `invalid volume name: ${name} is not at most 63 lower case letters, digits and dashes, with a letter or digit at both ends`;
};

export const frontendIsKnown: NewVolumeCheck = ({ spec: { frontend = 'blockdev', Standby, dataEngine = 'v1' } }) => {
  const known = frontend === '' ? Standby === true : isOneOf(frontends, frontend);
  return known ? undefined : `invalid volume frontend specified: ${frontend} for data engine ${dataEngine} `;
};

export const replicaCountIsInRange: NewVolumeCheck = ({ spec: { numberOfReplicas = 0 } }) =>
  Number.isInteger(numberOfReplicas) && numberOfReplicas >= 1 && numberOfReplicas <= 20
    ? undefined
    : `replica count value ${numberOfReplicas} must between 1 to 20`;

export const dataLocalityIsKnown: NewVolumeCheck = ({ spec: { dataLocality = 'disabled' } }) =>
  isOneOf(dataLocalities, dataLocality) ? undefined : `invalid data locality mode: ${dataLocality}`;

export const accessModeIsKnown: NewVolumeCheck = ({ spec: { accessMode = 'rwo' } }) =>
  isOneOf(accessModes, accessMode) ? undefined : `invalid access mode: ${accessMode}`;

export const strictLocalHasOneReplica: NewVolumeCheck = ({ spec: { dataLocality, numberOfReplicas } }) =>
  dataLocality === 'strict-local' && numberOfReplicas !== 1
    ? 'number of replica count should be 1 when data locality is strict-local'
    : undefined;

export const snapshotMaxCountIsInRange: NewVolumeCheck = ({ spec: { snapshotMaxCount = 250 } }) =>
  snapshotMaxCount >= 2 && snapshotMaxCount <= 250 ? undefined : 'snapshot max count should be between 2 to 250';

export const sizeIsANumber: NewVolumeCheck = ({ spec: { size } }) => {
  if (size === undefined) return undefined;
  const bytes = int64Of(size);
  return bytes === undefined || bytes < 0n ? sizeRefusal(size) : undefined;
};

/** For an invalid size: the API server accepts any text. */
export const sizeRefusal = (size: string | undefined): string =>
  `invalid volume size ${JSON.stringify(size)}: it is not a whole number of bytes`;

/** 0 means no limit. */
export const snapshotMaxSizeIsEnough: NewVolumeCheck = ({ spec: { snapshotMaxSize = '0', size = '0' } }) => {
  const bytes = int64Of(snapshotMaxSize);
  const volume = int64Of(size) ?? 0n;
  return bytes !== undefined && (bytes === 0n || (bytes > 0n && bytes >= 2n * volume))
    ? undefined
    : 'snapshot max size can not be 0 and at least twice of volume size';
};

export const backupBlockSizeIsKnown: NewVolumeCheck = ({ spec: { backupBlockSize = '2097152' } }) =>
  isOneOf(['2097152', '16777216'], backupBlockSize) ? undefined : `unsupported BackupBlockSize: ${backupBlockSize}`;

export const standbyHasBackup: NewVolumeCheck = ({ name, spec: { Standby, fromBackup = '' } }) =>
  Standby === true && fromBackup === ''
    ? `failed to create standby volume ${name} without field FromBackup`
    : undefined;

export const diskTagsExist: NewVolumeCheck = ({ spec: { diskSelector = [] }, diskTags }) => {
  const missing = diskSelector.find((tag) => !diskTags.has(tag));
  return missing === undefined ? undefined : `specified disk tag ${missing} does not exist`;
};

export const nodeTagsExist: NewVolumeCheck = ({ spec: { nodeSelector = [] }, nodeTags }) => {
  const missing = nodeSelector.find((tag) => !nodeTags.has(tag));
  return missing === undefined ? undefined : `specified node tag ${missing} does not exist`;
};

/** The caller, which has the objects, checks whether the source can be cloned. */
export const dataSourceIsReadable: NewVolumeCheck = ({ spec: { dataSource = '', fromBackup = '' } }) => {
  if (dataSource === '') return undefined;
  if (fromBackup !== '') return 'a volume begins with a backup or with a data source, not with both';
  if (parseDataSource(dataSource) !== undefined) return undefined;
  return `invalid data source ${JSON.stringify(dataSource)}: write vol://VOLUME or snap://VOLUME/SNAPSHOT`;
};

export const dataEngineIsKnown: NewVolumeCheck = ({ spec: { dataEngine = 'v1' } }) =>
  isOneOf(dataEngines, dataEngine) ? undefined : `invalid data engine: ${dataEngine}`;

const refused = (what: string, instead: string) => `${what} not supported by this volume manager: ${instead}`;

/** Features of Longhorn that this volume manager does not have, each with an alternative. */
export const isSupportedHere: NewVolumeCheck = ({ spec }) => {
  if (spec.dataEngine === 'v2') return refused('data engine v2 is', 'take v1');
  if (spec.frontend !== undefined && spec.frontend !== '' && spec.frontend !== 'blockdev')
    return refused(`frontend ${spec.frontend} is`, 'take blockdev');
  if (spec.accessMode === 'rwx') return refused('access mode rwx is', 'take rwo, or rwop');
  if (spec.encrypted === true) return refused('encrypted volumes are', 'encrypt the disks of the nodes');
  if (spec.migratable === true) return refused('migratable volumes are', 'leave migratable out');
  if (spec.cloneMode === 'linked-clone') return refused('clone mode linked-clone is', 'take full-copy');
  if ((spec.backingImage ?? '') !== '') return refused('backing images are', 'clone or restore a volume');
  if (spec.dataLayout?.type === 'sharded') return refused('data layout sharded is', 'leave dataLayout out');
  return undefined;
};

/** The checks, in order. */
export const newVolumeChecks: readonly NewVolumeCheck[] = [
  nameIsValid,
  nameIsDnsLabel,
  dataEngineIsKnown,
  frontendIsKnown,
  sizeIsANumber,
  replicaCountIsInRange,
  dataLocalityIsKnown,
  accessModeIsKnown,
  strictLocalHasOneReplica,
  snapshotMaxCountIsInRange,
  snapshotMaxSizeIsEnough,
  backupBlockSizeIsKnown,
  standbyHasBackup,
  dataSourceIsReadable,
  diskTagsExist,
  nodeTagsExist,
  isSupportedHere,
];

/** Why a new volume is refused; the REST API adds the prefix {@link unableToCreateVolume}. */
export const checkNewVolume = (seen: NewVolumeSeen) => firstRefusal(newVolumeChecks, seen);

/** Input may be any text, whatever its type says. */
const isOneOf = (list: readonly string[], value: string): boolean => list.includes(value);
