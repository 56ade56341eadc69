import type { StatusLink } from '@lateen/block-engine';
import { silentLogger, systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { modelFiles } from '../model/model-files.ts';
import { ModelMachine } from '../model/model-machine.ts';
import { modelDirectory, modelIdentity, modelStore } from '../model/model-replica.ts';
import { replicaStore } from '../store/replica-store.ts';
import { qemuBlocks } from './qemu-blocks.ts';
import type { PresentDaemon, QemuBlocksPorts } from './qemu-ports.ts';

const o = { signal: new AbortController().signal };
const unreachable = { code: 'DAEMON_UNREACHABLE', retry: 'soon' };

/** Ports that may only be asked about the daemon; every other call is recorded. */
function ports(daemon: PresentDaemon) {
  const calls: string[] = [];
  const noted = <T extends object>(): T =>
    new Proxy({} as T, {
      get: (_, name) => async () => {
        calls.push(String(name));
        return [];
      },
    });
  const connect: QemuBlocksPorts['connect'] = async () => {
    calls.push('connect');
    return noted<StatusLink>();
  };
  const blocks = qemuBlocks({
    directory: modelDirectory,
    daemon: () => daemon,
    ...{ images: noted<QemuBlocksPorts['images']>(), files: noted<QemuBlocksPorts['files']>() },
    ...{ io: 'direct', connect },
  });
  return { blocks, calls };
}

describe('while a daemon may run that is not connected', () => {
  const { blocks, calls } = ports('unreachable');
  const layer = 'layer-0.qcow2';
  const all: { readonly [Name in keyof typeof blocks]: () => Promise<unknown> } = {
    makeLayer: () => blocks.makeLayer(layer, { ...o, sizeBytes: 4096n }),
    imageInfo: () => blocks.imageInfo(layer, o),
    isBlank: () => blocks.isBlank(layer, o),
    check: () => blocks.check(layer, o),
    relink: () => blocks.relink(layer, undefined, o),
    live: () => blocks.live(o),
    open: () => blocks.open([layer], o),
    close: () => blocks.close(o),
    addLayer: () => blocks.addLayer(layer, o),
    dropAdded: () => blocks.dropAdded(layer, o),
    snapshotHead: () => blocks.snapshotHead(layer, o),
    merge: () => blocks.merge({ child: layer, into: 'layer-1.qcow2' }, o),
    endMerges: () => blocks.endMerges(o),
    resizeHead: () => blocks.resizeHead(4096n, o),
    exportHead: () => blocks.exportHead('name', o),
    unexportHead: () => blocks.unexportHead(o),
    flush: () => blocks.flush(o),
    exportLayer: () => blocks.exportLayer({ id: 'read1', name: 'name', files: [layer] }, o),
    unexportLayer: () => blocks.unexportLayer('read1', o),
    layerExports: () => blocks.layerExports(o),
    exportCopy: () => blocks.exportCopy({ id: 'copy1', name: 'name', file: layer }, o),
    connect: () => blocks.connect('name', o),
  };

  it.each(Object.entries(all))('%s is rejected and changes nothing', async (_, call) => {
    await expect(call()).rejects.toMatchObject(unreachable);
    expect(calls).toEqual([]);
  });

  it('promise and close are rejected, because an old export may still exist', async () => {
    const machine = new ModelMachine();
    const { store: before } = modelStore(machine);
    await before.create({ sizeBytes: 16384n, state: 'new', mayCreate: true }, o);
    await before.open(o);
    await before.promise({ generation: 1, engine: 'e' }, o);
    await before.serve({ generation: 1, name: 'head' }, o);
    const parts = { files: modelFiles(machine), blocks, clock: systemClock, log: silentLogger };
    const store = replicaStore({ directory: modelDirectory, identity: modelIdentity, ...parts });
    for (const call of [() => store.promise({ generation: 2, engine: 'e' }, o), () => store.close(o)])
      await expect(call()).rejects.toMatchObject(unreachable);
    expect(await modelStore(machine).store.record(o)).toMatchObject({ generation: 1, servedIn: 1 });
  });
});

it('without a daemon nothing is open, and calls that need one fail', async () => {
  const { blocks } = ports('none');
  expect([await blocks.live(o), await blocks.layerExports(o)]).toEqual([undefined, []]);
  await blocks.close(o);
  await blocks.unexportHead(o);
  await expect(blocks.exportHead('name', o)).rejects.toMatchObject({ code: 'DAEMON_GONE' });
});
