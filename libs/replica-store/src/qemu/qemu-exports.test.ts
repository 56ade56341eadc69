import type { StatusLink } from '@lateen/block-engine';
import { expect, it } from 'vitest';
import { qemuExports } from './qemu-exports.ts';
import type { QemuBlocksPorts, QemuDaemon } from './qemu-ports.ts';

const o = { signal: new AbortController().signal };

/** A daemon that has a head open over a layer; `flushed` is the result of its flush. */
function exportsOf(flushed: () => Promise<void>) {
  const said: string[] = [];
  const daemon: Partial<QemuDaemon> = {
    queryNamedBlockNodes: async () => [
      { nodeName: 'layer-0', readOnly: true },
      { nodeName: 'layer-1', readOnly: false },
    ],
    blockExportAdd: async ({ id, nodeName, writable }) =>
      void said.push(`add ${id} of ${nodeName}, writable ${writable}`),
    blockExportDel: async ({ id }, call) => {
      call?.signal?.throwIfAborted();
      said.push(`del ${id}`);
    },
  };
  const link: Partial<StatusLink> = { flush: flushed, [Symbol.asyncDispose]: async () => void said.push('left') };
  const ports: QemuBlocksPorts = {
    directory: '/d',
    daemon: () => daemon as QemuDaemon,
    images: {} as QemuBlocksPorts['images'],
    files: {} as QemuBlocksPorts['files'],
    io: 'direct',
    connect: async (name) => {
      said.push(`to ${name}`);
      return link as StatusLink;
    },
  };
  return { said, exports: qemuExports(ports) };
}

it.each([
  ['that succeeds', async () => {}, undefined],
  ['that fails', () => Promise.reject(new Error('Input/output error')), 'Input/output error'],
])('sends a flush %s to the head through a temporary export', async (_, flushed, error) => {
  const { said, exports } = exportsOf(flushed);
  const outcome = await exports.flush(o).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  expect(outcome).toBe(error);
  expect(said).toEqual(['add flush of layer-1, writable false', 'to flush', 'left', 'del flush']);
});

it('removes the export of an aborted flush, because it would keep the head from being closed', async () => {
  const leaving = new AbortController();
  const { said, exports } = exportsOf(async () => {
    leaving.abort(new Error('the disk was too slow'));
    throw leaving.signal.reason;
  });
  await expect(exports.flush({ signal: leaving.signal })).rejects.toThrow('the disk was too slow');
  expect(said.at(-1)).toBe('del flush');
});
