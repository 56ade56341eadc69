import { CommanderError } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readCommandLine } from './command-line.ts';

const endpoint = ['--endpoint', 'unix:///csi/csi.sock'];
const needed = [...endpoint, '--node-id', 'node-1', '--state-dir', '/state'];
const registered = ['--kubelet-registration-path', '/plugins/csi.sock', '--plugin-registration-dir', '/registration'];
const inPod = { NODE_NAME: 'node-2', POD_NAMESPACE: 'storage', POD_NAME: 'volume-manager-x' };

describe('the command line of lateen-volume-manager', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is that of local volumes without a command, with defaults for optional flags', () => {
    const config = {
      endpoint: 'unix:///csi/csi.sock',
      nodeId: 'node-1',
      stateDirectory: '/state',
      logFormat: 'json',
      logLevel: 'info',
      dropReflink: false,
    };
    expect(readCommandLine(needed, {})).toEqual({ command: 'local', config });
    expect(readCommandLine(['local', ...needed], {})).toEqual({ command: 'local', config });
  });

  it('reads the other flags of local volumes, with an equals sign too', () => {
    const { config } = readCommandLine(
      [...needed, ...registered, '--log-format=text', '--log-level=debug', '--drop-reflink'],
      {},
    );
    expect(config).toMatchObject({
      registration: { endpointPath: '/plugins/csi.sock', directory: '/registration' },
      logFormat: 'text',
      logLevel: 'debug',
      dropReflink: true,
    });
  });

  it('of replicated volumes reads node and namespace from the pod', () => {
    expect(readCommandLine(['csi', ...endpoint], inPod)).toMatchObject({
      command: 'csi',
      config: { mode: 'all', nodeId: 'node-2', namespace: 'storage' },
    });
    expect(readCommandLine(['csi', ...endpoint, '--mode=node', '--node-id=n', '--namespace=x'], inPod)).toMatchObject({
      config: { mode: 'node', nodeId: 'n', namespace: 'x', certificateDirectory: undefined },
    });
    expect(readCommandLine(['csi', ...endpoint, '--certificate-directory=/tls'], inPod)).toMatchObject({
      config: { certificateDirectory: '/tls' },
    });
  });

  it('of the manager has the namespace and the port of Longhorn', () => {
    expect(readCommandLine(['manager', '--node=n'], {})).toMatchObject({
      command: 'manager',
      config: { node: 'n', namespace: 'longhorn-system', api: { port: 9500, auth: 'none' }, port: 8085 },
    });
    expect(readCommandLine(['manager', '--api-auth=token', '--instance-manager-image=r/s:1'], inPod)).toMatchObject({
      config: {
        instanceManagerImage: 'r/s:1',
        node: 'node-2',
        namespace: 'storage',
        identity: 'volume-manager-x',
        api: { auth: 'token' },
      },
    });
  });

  it.each([
    { given: 'nothing', args: [], says: '--endpoint is missing' },
    { given: 'no node', args: needed.filter((_, at) => at !== 2 && at !== 3), says: '--node-id is missing' },
    { given: 'an empty node', args: [...needed, '--node-id', ''], says: '--node-id is empty' },
    {
      given: 'a long node',
      args: [...needed, '--node-id', 'n'.repeat(193)],
      says: '--node-id must have 1 to 192 bytes',
    },
    { given: 'an unknown flag', args: [...needed, '--bogus'], says: "unknown option '--bogus'" },
    { given: 'an argument', args: [...needed, 'extra'], says: 'too many arguments' },
    { given: 'an unknown command', args: ['serve'], says: 'unknown command "serve"' },
    { given: 'a TCP endpoint', args: [...needed, '--endpoint', 'tcp://0.0.0.0:1'], says: 'is not a unix socket' },
    { given: 'a relative directory', args: [...needed, '--state-dir', 'state'], says: '--state-dir is not absolute' },
    { given: 'one with ..', args: [...needed, '--state-dir', '/a/../b'], says: '--state-dir is not in normal form' },
    { given: 'half a registration', args: [...needed, ...registered.slice(0, 2)], says: 'belong together' },
    { given: 'an unknown level', args: [...needed, '--log-level', 'loud'], says: 'Allowed choices are debug, info' },
    { given: 'an unknown format', args: [...needed, '--log-format', 'xml'], says: 'Allowed choices are text, json' },
    { given: 'an unknown mode', args: ['csi', ...endpoint, '--mode=x'], says: 'Allowed choices are node, controller' },
    { given: 'no node of a manager', args: ['manager'], says: 'the name of the node is not known' },
    {
      given: 'a wrong port',
      args: ['manager', '--node=n', '--api-port=99999'],
      says: '--api-port "99999" is not a port',
    },
  ])('with $given is rejected with the reason', ({ args, says }) => {
    const read = () => readCommandLine(args, {});
    expect(read).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(read).toThrow(says);
  });

  it.each([
    [['--help'], 'lateen-volume-manager manager --node node-1'],
    [['local', '--help'], '--state-dir'],
    [['csi', '--help'], '--mode'],
    [['manager', '--help'], '--api-auth'],
    [['help', 'csi'], '--mode'],
    [['--version'], '0.1.0'],
  ])('answers %j', (argv, says) => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(() => readCommandLine(argv, {})).toThrow(CommanderError);
    expect(write.mock.calls.join('')).toContain(says);
  });
});
