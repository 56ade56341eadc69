import { describe, expect, it } from 'vitest';
import { readCommand } from './command.ts';
import { helpText } from './help.ts';
import { serveFlags } from './serve-config.ts';

const environment = { NODE_NAME: 'n1', POD_NAME: 'im-1', POD_NAMESPACE: 'storage' };

describe('the command line', () => {
  it('of serve has defaults, and names from the environment', () => {
    expect(readCommand(['serve'], environment)).toEqual({
      kind: 'serve',
      config: {
        node: 'n1',
        name: 'im-1',
        namespace: 'storage',
        hostRoot: '/',
        runtimeDirectory: '/var/run/lateen-storage',
        deviceDirectory: '/dev/longhorn',
        defaultDataPath: undefined,
        listen: { host: '0.0.0.0', port: 8500 },
        managerPort: 8500,
        health: { host: '0.0.0.0', port: 8501 },
        replicaAddress: '0.0.0.0',
        replicaPorts: { first: 10_000, last: 30_000 },
        tlsDirectory: '/tls',
        serverName: 'volume-manager',
        programs: {
          qemuStorageDaemon: 'qemu-storage-daemon',
          qemuImg: 'qemu-img',
          nbdfuse: 'nbdfuse',
          nbdClient: 'nbd-client',
        },
        logLevel: 'info',
        logFormat: 'text',
      },
    });
  });

  it('of keep passes on all flags except its own', () => {
    const argv = ['--node=n2', 'keep', '--grace-seconds', '7', '--listen=[::1]:8600', '--namespace', 'keep'];
    expect(readCommand(argv, environment)).toMatchObject({
      kind: 'keep',
      graceMs: 7_000,
      argv: ['--node=n2', 'serve', '--listen=[::1]:8600', '--namespace', 'keep'],
      config: { node: 'n2', listen: { host: '::1', port: 8600 }, managerPort: 8600, namespace: 'keep' },
    });
  });

  it.each([
    [['serve', '--grace-seconds=1'], '--grace-seconds does not belong to serve'],
    [['keep', '--grace-seconds=soon'], '--grace-seconds "soon" is not a whole number'],
    [['serve', '--host-root=host'], '--host-root "host" is not an absolute path without "." and ".."'],
    [
      ['serve', '--runtime-directory=/a/../b'],
      '--runtime-directory "/a/../b" is not an absolute path without "." and ".."',
    ],
    [['serve', '--listen=8500'], '--listen "8500" is not an address and a port'],
    [['serve', '--listen=1.2.3.4:99999'], '--listen: "99999" is not a port number'],
    [['serve', '--replica-ports=9-5'], '--replica-ports "9-5" is not a range of ports such as 10000-30000'],
    [['serve', '--replica-address=here'], '--replica-address "here" is not an IP address'],
    [['fly'], 'unknown command "fly"'],
  ])('%j: %s', (argv, message) => {
    expect(() => readCommand(argv, environment)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
  });

  it.each(['engine', 'transfer'])('of %s is a file', (kind) => {
    const configPath = '/run/e/1/engine.json';
    expect(readCommand([kind, `--config=${configPath}`], {})).toEqual({ kind, configPath });
    expect(() => readCommand([kind, '--node=n1', '--config=/x'], {})).toThrow(`--node does not belong to ${kind}`);
  });

  it('requires the name of its node', () => {
    expect(() => readCommand(['serve'], {})).toThrow('--node is required');
  });

  it('describes each of its flags', () => {
    expect(readCommand(['--help'], {})).toEqual({ kind: 'help' });
    for (const flag of Object.keys(serveFlags)) expect(helpText).toContain(`--${flag}`);
  });
});
