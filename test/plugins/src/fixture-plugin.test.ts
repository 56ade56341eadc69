import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProgram, runAsProgram, testPlugin } from '@lateen/plugin/testing';
import { aConfigMap } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixturePlugin } from './fixture-plugin.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lateen-fixture-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const scripted = (script: object) =>
  aConfigMap({ namespace: 'shop', name: 'c', annotations: { 'fixture.lateen.dev/script': JSON.stringify(script) } });
const other = { group: '', resource: 'configmaps', namespace: 'shop', name: 'other' };

describe('the fixture, without a process', () => {
  it('lists each kind of plugin, in the order of Velero', async () => {
    expect((await testPlugin(fixturePlugin)).offers.map(({ kind, name }) => `${kind} ${name.split('/')[1]}`)).toEqual([
      'BackupItemAction backup-v1',
      'BackupItemActionV2 backup',
      'VolumeSnapshotter volumes',
      'ObjectStore store',
      'RestoreItemAction restore-v1',
      'RestoreItemActionV2 restore',
      'DeleteItemAction delete',
      'ItemBlockAction block',
    ]);
  });

  it.each(['backup', 'backup-v1'])('%s changes its item and names additional ones', async (name) => {
    const action = (await testPlugin(fixturePlugin)).backupItemAction(`fixture.lateen.dev/${name}`);
    const { item, additionalItems } = await action.execute(
      scripted({ annotate: { a: 'b' }, fillerBytes: 5, additionalItems: [other] }),
    );
    expect(item.metadata.annotations).toMatchObject({ a: 'b', 'fixture.lateen.dev/filler': 'xxxxx' });
    expect(additionalItems).toEqual([other]);
  });

  it('reports the progress of an operation when polled, until it is cancelled or ends', async () => {
    const action = (await testPlugin(fixturePlugin)).backupItemAction('fixture.lateen.dev/backup');
    const { operationId = '' } = await action.execute(scripted({ operation: { polls: 2, error: 'no/room' } }));
    expect(operationId).toBe('2/no%2Froom/shop/c');
    expect(await action.progress(operationId)).toEqual({
      completed: false,
      nCompleted: 1,
      nTotal: 2,
      units: 'polls',
      description: 'asked',
      startedAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:01.000Z',
    });
    expect(await action.progress(operationId)).toMatchObject({ completed: true, error: 'no/room' });
    await action.cancel('9//shop/d');
    expect(await action.progress('9//shop/d')).toMatchObject({ completed: true, error: 'cancelled' });
    await expect(action.progress('x')).rejects.toThrow('no such operation: x');
  });

  it('is ready after as many polls as its Restore says', async () => {
    const action = (await testPlugin(fixturePlugin)).restoreItemAction('fixture.lateen.dev/restore');
    expect(
      await action.execute(scripted({ waitForAdditionalItems: true, additionalItemsReadyTimeoutSeconds: 9 })),
    ).toMatchObject({ waitForAdditionalItems: true, additionalItemsReadyTimeoutMs: 9_000 });
    const restore = (script: object) => ({
      restore: { metadata: { annotations: { 'fixture.lateen.dev/script': JSON.stringify(script) } } },
    });
    expect(await action.areAdditionalItemsReady([other], restore({ readyAfter: 2 }))).toBe(false);
    expect(await action.areAdditionalItemsReady([other], restore({ readyAfter: 2 }))).toBe(true);
    await expect(action.areAdditionalItemsReady([other], restore({ readyFails: 'no' }))).rejects.toThrow('no');
  });

  it('keeps snapshots and objects in a folder', async () => {
    const tested = await testPlugin(fixturePlugin);
    const volumes = await tested.volumeSnapshotter('fixture.lateen.dev/volumes', { root });
    expect(await volumes.createSnapshot({ volumeId: 'v', volumeZone: 'a', tags: {} })).toBe('snap-v');
    const fresh = { snapshotId: 'snap-v', volumeType: 'fast', volumeZone: 'a' };
    expect(await volumes.createVolumeFromSnapshot(fresh)).toBe('from-snap-v');
    await volumes.deleteSnapshot({ snapshotId: 'snap-v' });
    await expect(volumes.createVolumeFromSnapshot(fresh)).rejects.toThrow('no such snapshot: snap-v');
    const store = await tested.objectStore('fixture.lateen.dev/store', { root });
    await store.putObject({ bucket: 'b', key: 'x/y/1', body: 'one' });
    expect(await store.listCommonPrefixes({ bucket: 'b', prefix: 'x/', delimiter: '/' })).toEqual(['x/y/']);
    expect(String(await store.getObject({ bucket: 'b', key: 'x/y/1' }))).toBe('one');
    await expect(tested.objectStore('fixture.lateen.dev/store')).rejects.toThrow('config has no root');
  });
});

describe('the fixture, as a program', () => {
  const start = () => runAsProgram([process.execPath, join(import.meta.dirname, 'main.ts')]);
  let program: RunningProgram;
  beforeAll(async () => {
    program = await start();
  });
  afterAll(() => program.stop());
  const execute = (script: object) => program.backupItemAction('fixture.lateen.dev/backup').execute(scripted(script));

  it('answers with more than 4 MiB', async () => {
    const { item } = await execute({ fillerBytes: 6 * 1024 * 1024 });
    expect(item.metadata.annotations?.['fixture.lateen.dev/filler']?.length).toBe(6 * 1024 * 1024);
  });

  it('writes a flood of log lines, all of which arrive', async () => {
    await execute({ logLines: 5_000 });
    const lines = () => program.log.filter(({ message }) => message.startsWith('line ')).length;
    await expect.poll(lines, { timeout: 20_000 }).toBe(5_000);
  });

  it('panics in a call and keeps running', async () => {
    await expect(execute({ panic: 'nil map' })).rejects.toThrow('nil map');
    expect((await execute({})).item.metadata.name).toBe('c');
  });

  it('dies once', async () => {
    const script = { crashOnce: join(root, 'crashed') };
    await using mortal = await start();
    await expect(mortal.backupItemAction('fixture.lateen.dev/backup').execute(scripted(script))).rejects.toThrow();
    expect((await mortal.ended).stderr).toContain('panic: once');
    expect((await execute(script)).item.metadata.name).toBe('c');
  });
});
