import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeStaleSocket, socketPathOf } from './unix-endpoint.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-endpoint-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('socketPathOf', () => {
  it.each([
    ['unix:///csi/csi.sock', '/csi/csi.sock'],
    ['unix:/csi/csi.sock', '/csi/csi.sock'],
  ])('%s is %s', (endpoint, path) => expect(socketPathOf(endpoint)).toBe(path));

  it.each([
    '',
    'csi.sock',
    '/csi/csi.sock',
    'tcp://127.0.0.1:1',
    'unix://csi/csi.sock',
    'unix:///a/../b',
    `unix:///${'x'.repeat(120)}`,
  ])('rejects %s', (endpoint) =>
    expect(() => socketPathOf(endpoint)).toThrow(expect.objectContaining({ code: 'INVALID_ENDPOINT' })),
  );
});

describe('removeStaleSocket', () => {
  it('does nothing without a socket', async () => {
    await expect(removeStaleSocket(join(directory, 'none'))).resolves.toBeUndefined();
  });

  it('removes the socket of a killed process', async () => {
    const path = join(directory, 'stale');
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await execa(process.execPath, ['-e', script], { reject: false });
    expect((await stat(path)).isSocket()).toBe(true);
    await removeStaleSocket(path);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('keeps the socket of a living process', async () => {
    const path = join(directory, 'alive');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(removeStaleSocket(path)).rejects.toMatchObject({ code: 'SOCKET_IN_USE' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('keeps a file that is not a socket', async () => {
    const path = join(directory, 'file');
    await writeFile(path, 'precious');
    await expect(removeStaleSocket(path)).rejects.toMatchObject({ code: 'SOCKET_PATH_TAKEN' });
  });
});
