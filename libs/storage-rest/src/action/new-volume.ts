import { type Backup, backupLabels, int64Of, type Volume, type VolumeSpec } from '@lateen/storage-types';
import { checkNewVolume, parseDataSource, type Settings, unableToCreateVolume } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { bytesOf, volumeBytes } from './byte-text.ts';
import { jobLabelsOf } from './job-selector.ts';
import { onlyFields } from './only-fields.ts';
import { type Input, readInput } from './read-input.ts';

/** What a new volume is decided from. */
export interface NewVolumeSeenByApi {
  readonly settings: Settings;
  /** Tags that any node, or any disk, has. */
  readonly nodeTags: ReadonlySet<string>;
  readonly diskTags: ReadonlySet<string>;
  /** The Backup of this name; undefined for none. */
  backup(name: string): Backup | undefined;
  /** The Volume of this name; undefined for none. */
  volume(name: string): Volume | undefined;
}

export interface NewVolumePlan {
  readonly name: string;
  readonly spec: VolumeSpec;
  readonly labels: Readonly<Record<string, string>>;
}

/** What a client can say about a new volume beside its name and recurring jobs, with how it is read. */
const texts = [
  ...['size', 'frontend', 'fromBackup', 'dataSource', 'cloneMode', 'dataLocality', 'backingImage', 'accessMode'],
  ...['snapshotDataIntegrity', 'unmapMarkSnapChainRemoved', 'backupCompressionMethod', 'backupBlockSize'],
  ...['replicaSoftAntiAffinity', 'replicaZoneSoftAntiAffinity', 'replicaDiskSoftAntiAffinity', 'dataEngine'],
  ...['snapshotMaxSize', 'freezeFilesystemForSnapshot', 'backupTargetName', 'replicaAutoBalance'],
  ...['offlineRebuilding', 'restoreVolumeRecurringJob'],
];
const numbers = [
  ...['staleReplicaTimeout', 'numberOfReplicas', 'snapshotMaxCount', 'replicaRebuildingBandwidthLimit'],
  ...['ublkQueueDepth', 'ublkNumberOfQueue', 'rebuildConcurrentSyncLimit'],
];
const others = [
  ...['name', 'standby', 'disableFrontend', 'revisionCounterDisabled', 'migratable', 'encrypted'],
  ...['diskSelector', 'nodeSelector'],
];

/**
 * What `POST /v1/volumes` makes: what was sent, and the rest from settings. Defaults that the schema tells are not applied.
 * @throws REST_REFUSED with the words that clients know, also for what this volume manager does not have, with what to take in its place
 */
export function plannedVolume(body: unknown, seen: NewVolumeSeenByApi): NewVolumePlan {
  const input = readInput('volume', onlyFields(body, [...texts, ...numbers, ...others]));
  const name = input.text('name');
  const spec: VolumeSpec = { ...plainFields(input), ...filledIn(input, seen), ...contentOf(input, seen) };
  const layout = layoutOf(body);
  const whole = layout === undefined ? spec : { ...spec, dataLayout: layout };
  const refusal = checkNewVolume({ name, spec: whole, nodeTags: seen.nodeTags, diskTags: seen.diskTags });
  if (refusal !== undefined) throw refused(unableToCreateVolume(refusal));
  return { name, spec: whole, labels: jobLabelsOf(body) };
}

/** Words of an enumeration are checked where they mean something, or by the API server. */
const word = <T extends string>(text: string): T => text as T;
const orIgnored = (text: string) => word<'ignored'>(text || 'ignored');

function plainFields(input: Input): VolumeSpec {
  return {
    staleReplicaTimeout: input.number('staleReplicaTimeout'),
    disableFrontend: input.flag('disableFrontend'),
    Standby: input.flag('standby'),
    migratable: input.flag('migratable'),
    encrypted: input.flag('encrypted'),
    backingImage: input.text('backingImage'),
    diskSelector: [...input.texts('diskSelector')],
    nodeSelector: [...input.texts('nodeSelector')],
    replicaRebuildingBandwidthLimit: input.number('replicaRebuildingBandwidthLimit'),
    ublkQueueDepth: input.number('ublkQueueDepth'),
    ublkNumberOfQueue: input.number('ublkNumberOfQueue'),
    rebuildConcurrentSyncLimit: input.number('rebuildConcurrentSyncLimit'),
    snapshotMaxSize: bytesOf(input.text('snapshotMaxSize') || '0').toString(),
    replicaAutoBalance: orIgnored(input.text('replicaAutoBalance')),
    snapshotDataIntegrity: orIgnored(input.text('snapshotDataIntegrity')),
    unmapMarkSnapChainRemoved: orIgnored(input.text('unmapMarkSnapChainRemoved')),
    replicaSoftAntiAffinity: orIgnored(input.text('replicaSoftAntiAffinity')),
    replicaZoneSoftAntiAffinity: orIgnored(input.text('replicaZoneSoftAntiAffinity')),
    replicaDiskSoftAntiAffinity: orIgnored(input.text('replicaDiskSoftAntiAffinity')),
    freezeFilesystemForSnapshot: orIgnored(input.text('freezeFilesystemForSnapshot')),
    offlineRebuilding: orIgnored(input.text('offlineRebuilding')),
    restoreVolumeRecurringJob: orIgnored(input.text('restoreVolumeRecurringJob')),
  };
}

/** What settings say where the client says nothing. */
function filledIn(input: Input, { settings }: NewVolumeSeenByApi): VolumeSpec {
  const dataEngine = word<'v1'>(input.text('dataEngine') || 'v1');
  const dataLocality = word<'disabled'>(input.text('dataLocality') || settings.text('default-data-locality'));
  const frontend = input.text('frontend') || (input.flag('standby') ? '' : 'blockdev');
  const blockBytes = settings.number('default-backup-block-size') * 1024 * 1024;
  return {
    dataEngine,
    dataLocality,
    frontend: word<'blockdev'>(frontend),
    image: settings.text('default-engine-image'),
    numberOfReplicas: input.number('numberOfReplicas') || settings.number('default-replica-count', dataEngine),
    backupCompressionMethod: word<'lz4'>(
      input.text('backupCompressionMethod') || settings.text('backup-compression-method'),
    ),
    snapshotMaxCount: input.number('snapshotMaxCount') || settings.number('snapshot-max-count'),
    backupBlockSize: word<'2097152'>(input.text('backupBlockSize').replace(/^0$/, '') || String(blockBytes)),
    backupTargetName: input.text('backupTargetName') || 'default',
    revisionCounterDisabled:
      input.flag('revisionCounterDisabled') ||
      dataLocality === word('strict-local') ||
      settings.flag('disable-revision-counter'),
  };
}

/** The size and what is in the volume at first. */
function contentOf(input: Input, seen: NewVolumeSeenByApi): VolumeSpec {
  const [fromBackup, dataSource] = [input.text('fromBackup'), input.text('dataSource')];
  const asked = volumeBytes(bytesOf(input.text('size') || '0'));
  const accessMode = input.text('accessMode');
  if (fromBackup !== '') {
    const { size, accessMode: before } = backupAt(fromBackup, seen);
    return { size, fromBackup, accessMode: word<'rwo'>(accessMode || before || 'rwo') };
  }
  const plain = { size: asked.toString(), accessMode: word<'rwo'>(accessMode || 'rwo') };
  if (dataSource === '') return plain;
  const least = sourceBytes(dataSource, seen);
  const size = input.text('size') === '' ? least : asked;
  if (size < least)
    throw refused(unableToCreateVolume(`size ${size} is less than that of data source ${dataSource}: ${least}`));
  return {
    ...plain,
    size: size.toString(),
    dataSource,
    cloneMode: word<'full-copy'>(input.text('cloneMode') || 'full-copy'),
  };
}

/** What is known of the backup behind a URL `<target>?backup=<name>&volume=<volume>`. */
function backupAt(url: string, seen: NewVolumeSeenByApi): { size: string; accessMode: string } {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const name = url.includes('?') ? (query.get('backup') ?? '') : '';
  const status = name === '' ? undefined : seen.backup(name)?.status;
  if (status?.volumeSize === undefined || status.volumeSize === '')
    throw refused(
      unableToCreateVolume(`cannot find the backup of ${JSON.stringify(url)}, or its size is not known yet`),
    );
  return { size: status.volumeSize, accessMode: status.labels?.[backupLabels.accessMode] ?? '' };
}

/** A snapshot is taken for as large as its volume is now: it may have been smaller. */
function sourceBytes(source: string, seen: NewVolumeSeenByApi): bigint {
  const name = parseDataSource(source)?.volume;
  const volume = name === undefined ? undefined : seen.volume(name);
  if (volume === undefined)
    throw refused(unableToCreateVolume(`cannot find the volume of data source ${JSON.stringify(source)}`));
  return int64Of(volume.spec.size) ?? 0n;
}

/** A layout is kept when it is given: other ones than whole copies are refused by a check. */
function layoutOf(body: unknown): VolumeSpec['dataLayout'] {
  const { dataLayout } = (body ?? {}) as { dataLayout?: unknown };
  if (dataLayout === undefined || dataLayout === null) return undefined;
  const input = readInput('volumeDataLayout', dataLayout);
  const [type, mode] = [input.text('type'), input.text('mode')];
  return type === '' && mode === '' ? undefined : { type: word<''>(type), mode: word<''>(mode) };
}
