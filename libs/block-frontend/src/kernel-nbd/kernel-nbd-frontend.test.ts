import { expect, it } from 'vitest';
import type { FrontendRequest } from '../block-frontend.ts';
import { chooseFrontend, frontendKind } from '../choose-frontend.ts';
import { FakeMachine } from '../fake-machine.ts';
import { kernelNbdFrontend } from './kernel-nbd-frontend.ts';
import { deviceOfArguments, nbdClientProcess } from './nbd-client-arguments.ts';

const { signal } = new AbortController();
const request: FrontendRequest = {
  ...{ volume: 'pvc-1', run: 'g1', socketPath: '/run/engine.sock', exportName: 'volume' },
  ...{ sizeBytes: 1024 * 1024, reserveBytes: 0 },
};

it('connects through a unix socket, in the foreground, without a timeout and without reconnects', () => {
  const { deps } = new FakeMachine();
  const process = nbdClientProcess(deps, request, '/dev/nbd2');
  expect(process).toEqual({
    ...{ id: 'frontend-pvc-1', kind: 'nbd-client', run: 'g1', volume: 'pvc-1' },
    argv: [
      ...['/bin/nbd-client', '-unix', '/run/engine.sock', '/dev/nbd2', '-name', 'volume', '-block-size', '512'],
      ...['-connections', '4', '-timeout', '0', '-nonetlink', '-nofork'],
    ],
  });
  expect(deviceOfArguments(process.argv)).toBe('/dev/nbd2');
});

it.each([
  [['fuse', 'nbd'], '/bin/nbd-client', 'kernel-nbd'],
  [['fuse', 'nbd'], undefined, 'nbdfuse'],
  [['fuse'], '/bin/nbd-client', 'nbdfuse'],
])('with the modules %s and the client %s the front end is %s', async (modules, client, kind) => {
  const machine = new FakeMachine();
  machine.folders.set('/sys/module', modules);
  expect(await frontendKind(machine.deps.host.files, client)).toBe(kind);
});

it('stays with nbdfuse while nbdfuse has volumes attached, whatever modules are loaded later', async () => {
  const machine = new FakeMachine();
  machine.folders.set('/sys/module', ['fuse', 'nbd']);
  machine.folders.set('/fronts', ['pvc-1']);
  expect(await chooseFrontend(machine.deps)).toMatchObject({ kind: 'nbdfuse' });
  machine.folders.set('/fronts', []);
  expect(await chooseFrontend(machine.deps)).toMatchObject({ kind: 'kernel-nbd' });
});

it('uses the first free device, finds it by its process, and disconnects it', async () => {
  const machine = new FakeMachine();
  machine.engineAnswers = false;
  machine.folders.set('/sys/block', ['sda', 'nbd10', 'nbd0', 'nbd1']);
  machine.texts.set('/sys/block/nbd0/pid', '7\n');
  machine.texts.set('/sys/block/nbd1/size', '2048\n');
  const frontend = kernelNbdFrontend(machine.deps);
  const device = { path: '/dev/nbd1', sizeBytes: 1024 * 1024, sizeBytesMax: 1024 * 1024 };
  expect(await frontend.start(request, signal)).toEqual(device);
  expect(await frontend.look('pvc-1', signal)).toEqual({ kind: 'attached', device });
  await expect(frontend.grow('pvc-1', 2 * 1024 * 1024, signal)).rejects.toThrow('cannot grow while it is attached');
  await frontend.stop('pvc-1', signal);
  expect(machine.effects).toEqual(['start frontend-pvc-1', 'nbd-client -d /dev/nbd1']);
  expect(await frontend.look('pvc-1', signal)).toEqual({ kind: 'none' });
});

it('has no reserve for growth', async () => {
  const start = kernelNbdFrontend(new FakeMachine().deps).start({ ...request, reserveBytes: 512 }, signal);
  await expect(start).rejects.toThrow('it has no reserve');
});
