import { describe, expect, it } from 'vitest';
import type { Json, Resource } from '../envelope/resource.ts';
import { schemaOf } from '../schema/schemas.ts';
import { backupTargetResource } from './backup-resources.ts';
import { exampleTarget } from './example-objects.ts';
import { exampleCollections, exampleResources } from './example-resources.ts';
import { exampleBackup, exampleVolume } from './example-volume.ts';
import { settingResource, settingResources } from './setting-resource.ts';
import { createdText } from './volume/created-text.ts';
import { offeredActions } from './volume/offered-actions.ts';
import { bareVolumeResource, volumeResource } from './volume/volume-resource.ts';

const base = 'http://longhorn-backend:9500';
const golden = (name: string) => new URL(`../testdata/resources/${name}.json`, import.meta.url).pathname;

/** Fields that are omitted when empty (marked `?` in longhorn-api.md). */
const mayBeAbsent: Readonly<Record<string, readonly string[]>> = {
  recurringJob: ['groups', 'labels', 'parameters'],
  snapshotCR: ['error'],
  orphan: ['dataEngine'],
  volumeDataLayout: ['dataChunks', 'parityChunks', 'stripSizeKB'],
  settingDefinition: ['options', 'range', 'floatRange', 'dataEngineSpecific'],
  diskInfo: ['healthData', 'healthDataLastCollectedAt'],
  backupStatus: ['id', 'type'],
  restoreStatus: ['id', 'type'],
  purgeStatus: ['id', 'type'],
  rebuildStatus: ['id', 'type'],
  volumeAttachment: ['id', 'type'],
};
/** A Go struct name becomes the type of the same name with a lower-case first letter, if that exists. */
const typeNamed = (name: string) => (name === 'VolumeDataLayout' ? 'volumeDataLayout' : name);

/** Where a value does not match its type, and why. */
function problems(value: Json | undefined, type: string, at: string): string[] {
  const inner = /^(map|array)\[(\w+)\]$/.exec(type);
  if (inner !== null) return insideProblems(value, inner[1] === 'map', inner[2] ?? '', at);
  if (type === 'string' || type === 'bool' || type === 'int') {
    const wanted = { string: 'string', bool: 'boolean', int: 'number' }[type];
    const right = typeof value === wanted && (type !== 'int' || Number.isInteger(value));
    return right ? [] : [`${at}: ${JSON.stringify(value)} is no ${type}`];
  }
  const schema = schemaOf(typeNamed(type));
  // A name in another case is a type from elsewhere, such as an Event of Kubernetes.
  if (schema?.id !== typeNamed(type)) return [];
  if (typeof value !== 'object' || value === null) return [`${at}: ${JSON.stringify(value)} is no ${type}`];
  const fields = value as Record<string, Json>;
  const extra = Object.keys(fields).filter((name) => !Object.hasOwn(schema.fields, name));
  return [
    ...extra.map((name) => `${at}.${name}: is not in the schema of ${type}`),
    ...Object.entries(schema.fields).flatMap(([name, field]) => {
      const isAbsent = !Object.hasOwn(fields, name);
      if (isAbsent) return mayBeAbsent[schema.id]?.includes(name) ? [] : [`${at}.${name}: is missing`];
      return problems(fields[name], field.type, `${at}.${name}`);
    }),
  ];
}

function insideProblems(value: Json | undefined, isMap: boolean, inner: string, at: string): string[] {
  if (value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value) === isMap)
    return [`${at}: ${JSON.stringify(value)} is no ${isMap ? 'map' : 'array'}`];
  // Maps and lists of strings are used for everything without its own type.
  return inner === 'string'
    ? []
    : Object.entries(value).flatMap(([key, one]) => problems(one as Json, inner, `${at}.${key}`));
}

describe('every resource', () => {
  const all = Object.entries(exampleCollections(base)).flatMap(([type, list]) =>
    list.map((one) => [type, one.id, one] as const),
  );
  it.each(all)('of type %s, %s, has the fields and types of its schema, and no others', (type, _, one: Resource) => {
    expect(problems(one, type, type)).toEqual([]);
  });
  it('the check itself detects wrong fields', () => {
    const { volume } = exampleResources(base);
    expect(problems({ ...volume, size: 5, odd: 1 } as unknown as Json, 'volume', 'v')).toEqual([
      'v.odd: is not in the schema of volume',
      'v.size: 5 is no string',
    ]);
  });
  it.each(Object.keys(exampleResources(base)))('%s equals its golden file', async (type) => {
    const text = `${JSON.stringify(exampleResources(base)[type], null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(golden(type));
  });
});

describe('a volume', () => {
  const { volume } = exampleVolume;
  it('refers to replicas and engine work by name, not by address', () => {
    expect(volumeResource(exampleVolume, base)).toMatchObject({
      replicas: [
        { name: 'pvc-1-r-aaaaaaaa', mode: 'RW' },
        { name: 'pvc-1-r-bbbbbbbb', mode: 'WO' },
      ],
      rebuildStatus: [{ replica: 'pvc-1-r-bbbbbbbb', fromReplicaList: ['pvc-1-r-aaaaaaaa'], progress: 40 }],
      backupStatus: [{ id: exampleBackup.metadata.name, replica: 'pvc-1-r-aaaaaaaa' }],
      controllers: [{ actualSize: '12288' }],
      ready: true,
    });
  });
  it('has no children in the response of most actions', () => {
    const bare = bareVolumeResource(exampleVolume, base);
    expect(bare).toMatchObject({ replicas: [], controllers: [], backupStatus: [], rebuildStatus: [] });
  });
  it.each([
    [{ nodeID: '' }, { state: 'detaching' }, 'waiting for the volume to fully detach. current state: detaching'],
    [
      { nodeID: '' },
      { state: 'detached', conditions: [] },
      'volume is currently in detached state with some un-schedulable replicas',
    ],
    [{}, { robustness: 'faulted' }, 'volume is faulted'],
    [{ dataSource: 'vol://v' }, {}, 'volume request cloning data but has not finished copying data'],
    [{ dataSource: 'vol://v' }, { cloneStatus: { state: 'completed' } }, ''],
    [{}, { restoreRequired: true }, 'volume requires restoration'],
  ])('with spec %o and status %o is not ready because: %s', (spec, status, message) => {
    const changed = { ...volume, spec: { ...volume.spec, ...spec }, status: { ...volume.status, ...status } };
    const sent = volumeResource({ ...exampleVolume, volume: changed as typeof volume }, base);
    expect([sent.notReadyMessage, sent.ready]).toEqual([message, message === '']);
  });
  it('shows its creation time as Go prints times', () => {
    expect(createdText('2026-08-21T17:16:52Z')).toBe('2026-08-21 17:16:52 +0000 UTC');
    expect([createdText(undefined), createdText('soon')]).toEqual(['', 'soon']);
  });
});

describe('offered actions', () => {
  const offered = (state: string, robustness = 'healthy') => offeredActions({ status: { state, robustness } as never });
  const anytime = [
    'attach',
    'detach',
    'snapshotBackup',
    'snapshotCRCreate',
    'snapshotCRGet',
    'snapshotCRList',
    'snapshotCRDelete',
  ];
  it.each(['attached', 'detached', 'creating'])(
    'of a faulted volume that is %s are attach, detach and salvage',
    (state) => {
      expect(offered(state, 'faulted')).toEqual(['attach', 'detach', 'salvage']);
    },
  );
  it.each(['creating', 'detaching', 'deleting'])('while %s are those of all states', (state) => {
    expect(offered(state)).toEqual(anytime);
  });
  it('while attaching are a few more', () => {
    const more = [
      'cancelExpansion',
      'offlineReplicaRebuilding',
      'recurringJobAdd',
      'recurringJobDelete',
      'recurringJobList',
    ];
    expect(offered('attaching').filter((name) => !anytime.includes(name))).toEqual(more);
  });
  it('differ between detached and attached as the table says', () => {
    const [attached, detached] = [offered('attached'), offered('detached')];
    expect(attached.filter((name) => !detached.includes(name))).toEqual([
      'trimFilesystem',
      'snapshotPurge',
      'snapshotCreate',
      'snapshotGet',
      'snapshotList',
      'snapshotDelete',
      'snapshotRevert',
      'updateReplicaCount',
    ]);
    expect(detached.filter((name) => !attached.includes(name))).toEqual([
      'updateAccessMode',
      'updateUblkQueueDepth',
      'updateUblkNumberOfQueue',
    ]);
    expect(attached).not.toContain('jobList');
  });
});

describe('other resources', () => {
  it('a backup target shows its poll interval as a duration', () => {
    expect(backupTargetResource(exampleTarget, base)).toMatchObject({
      pollInterval: '5m0s',
      message: 'backup target URL is empty',
    });
  });
  it('settings are listed with their defaults, and stored ones with unknown names are hidden', () => {
    const stored = [
      { apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata: { name: 'auto-salvage' }, value: 'false' },
      { apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata: { name: 'backup-target' }, value: 'x' },
    ];
    const sent = settingResources(stored, base);
    expect(sent.find(({ id }) => id === 'auto-salvage')?.value).toBe('false');
    expect(sent.find(({ id }) => id === 'default-replica-count')?.value).toBe('{"v1":"3","v2":"3"}');
    expect(sent.find(({ id }) => id === 'backup-target')).toBeUndefined();
    expect(settingResource('backup-target', undefined, base)).toBeUndefined();
  });
  it('a range that begins with 0 has its minimum in the response', () => {
    const sent = settingResource('storage-minimal-available-percentage', undefined, base);
    expect(sent).toMatchObject({ definition: { range: { minimum: 0, maximum: 100 } } });
  });
});
