import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { connectUnix, makeService, type ServiceHandlers, serveUnix, type UnixServer } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  ControllerClient,
  type ControllerServer,
  ControllerService,
  type DeleteVolumeRequest,
} from './generated/csi.ts';
import { RegistrationClient, type RegistrationServer, RegistrationService } from './generated/registration.ts';
import { registrationHandlers } from './registration.ts';

const deleteRequest = (volumeId: string): DeleteVolumeRequest => ({ volumeId, secrets: {} });
const never = new AbortController().signal;
let directory = '';
let server: UnixServer | undefined;
const stopping = new AbortController();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-server-'));
});
afterEach(async () => {
  await server?.stop(0);
  await rm(directory, { recursive: true, force: true });
});

const endpoint = () => `unix://${join(directory, 'sub/csi.sock')}`;

async function serve(handlers: ServiceHandlers<ControllerServer>) {
  const service = makeService(ControllerService, handlers, {
    log: silentLogger,
    clock: systemClock,
    stopping: stopping.signal,
    busyWaitMs: 50,
    keysOf: (_method, request) => [{ id: (request as DeleteVolumeRequest).volumeId, mode: 'exclusive' }],
  });
  server = await serveUnix(endpoint(), [service], systemClock);
  return connectUnix<ControllerServer>(endpoint(), ControllerClient);
}

it('answers on a socket that only its owner may use', async () => {
  using client = await serve({ deleteVolume: async () => ({}) });
  await expect(client.deleteVolume(deleteRequest('a'), { signal: never })).resolves.toEqual({});
  expect((await stat(join(directory, 'sub/csi.sock'))).mode & 0o777).toBe(0o600);
});

it('returns an error with its status and text, and UNIMPLEMENTED for an unknown method', async () => {
  using client = await serve({
    deleteVolume: async () => {
      throw new AppError('FAILED_PRECONDITION', 'it is mounted', { nextStep: 'Unmount it.' });
    },
  });
  await expect(client.deleteVolume(deleteRequest('a'), { signal: never })).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: 'deleteVolume: it is mounted. Unmount it.',
  });
  await expect(client.controllerGetVolume({ volumeId: 'a' }, { signal: never })).rejects.toMatchObject({
    code: 'UNIMPLEMENTED',
  });
});

it('returns ABORTED to a second call on the same volume, and serves another volume meanwhile', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  using client = await serve({
    deleteVolume: async ({ volumeId }) => {
      if (volumeId !== 'slow') return {};
      started.resolve();
      await release.promise;
      return {};
    },
  });
  const slow = client.deleteVolume(deleteRequest('slow'), { signal: never });
  await started.promise;
  await expect(client.deleteVolume(deleteRequest('slow'), { signal: never })).rejects.toMatchObject({
    code: 'ABORTED',
  });
  await expect(client.deleteVolume(deleteRequest('other'), { signal: never })).resolves.toEqual({});
  release.resolve();
  await expect(slow).resolves.toEqual({});
  await expect(client.deleteVolume(deleteRequest('slow'), { signal: never })).resolves.toEqual({});
});

it("aborts the handler's signal at the deadline, and releases the volume", async () => {
  const reasons: unknown[] = [];
  using client = await serve({
    deleteVolume: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push((signal.reason as Error).name);
          reject(signal.reason);
        });
      }),
  });
  const late = { signal: never, deadlineMs: systemClock.now() + 100 };
  await expect(client.deleteVolume(deleteRequest('a'), late)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  const cancel = new AbortController();
  const call = client.deleteVolume(deleteRequest('b'), { signal: cancel.signal });
  await systemClock.sleep(50);
  cancel.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  // The client gives up at the same time, and its message may arrive before the server's own deadline.
  await expect.poll(() => reasons).toEqual([expect.stringMatching(/^(Timeout|Abort)Error$/), 'AbortError']);
});

it('lets a running call complete when it stops, removes the socket, and can start again there', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  using client = await serve({
    deleteVolume: async () => {
      started.resolve();
      await release.promise;
      return {};
    },
  });
  const call = client.deleteVolume(deleteRequest('a'), { signal: never });
  await started.promise;
  const stopped = server?.stop(5_000);
  release.resolve();
  await expect(call).resolves.toEqual({});
  await stopped;
  await expect(stat(join(directory, 'sub/csi.sock'))).rejects.toMatchObject({ code: 'ENOENT' });
  using again = await serve({ deleteVolume: async () => ({}) });
  await expect(again.deleteVolume(deleteRequest('a'), { signal: never })).resolves.toEqual({});
});

it('registers with kubelet, and reports a rejection', async () => {
  const refusals: string[] = [];
  const handlers = registrationHandlers({
    driverName: 'csi.lateen.dev',
    endpointPath: '/var/lib/kubelet/plugins/csi.lateen.dev/csi.sock',
    onRefused: (reason) => refusals.push(reason),
    log: silentLogger,
  });
  const options = { log: silentLogger, clock: systemClock, stopping: stopping.signal };
  server = await serveUnix(endpoint(), [makeService(RegistrationService, handlers, options)], systemClock);
  using client = connectUnix<RegistrationServer>(endpoint(), RegistrationClient);
  await expect(client.getInfo({}, { signal: never })).resolves.toEqual({
    type: 'CSIPlugin',
    name: 'csi.lateen.dev',
    endpoint: '/var/lib/kubelet/plugins/csi.lateen.dev/csi.sock',
    supportedVersions: ['1.0.0'],
  });
  await client.notifyRegistrationStatus({ pluginRegistered: true, error: '' }, { signal: never });
  await client.notifyRegistrationStatus({ pluginRegistered: false, error: 'name taken' }, { signal: never });
  expect(refusals).toEqual(['name taken']);
});
