import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const needed = ['--endpoint', 'unix:///csi/csi.sock', '--node-id', 'node-1', '--state-dir', '/state'];
const registered = ['--kubelet-registration-path', '/plugins/csi.sock', '--plugin-registration-dir', '/registration'];

describe('readConfig', () => {
  it('reads the needed flags and has defaults for the rest', () => {
    expect(readConfig(needed)).toEqual({
      endpoint: 'unix:///csi/csi.sock',
      nodeId: 'node-1',
      stateDirectory: '/state',
      logFormat: 'json',
      logLevel: 'info',
      dropReflink: false,
    });
  });

  it('reads the others, with an equals sign too', () => {
    expect(
      readConfig([...needed, ...registered, '--log-format=text', '--log-level=debug', '--drop-reflink']),
    ).toMatchObject({
      registration: { endpointPath: '/plugins/csi.sock', directory: '/registration' },
      logFormat: 'text',
      logLevel: 'debug',
      dropReflink: true,
    });
  });

  it.each([
    { given: 'nothing', args: [], says: "required option '--endpoint" },
    { given: 'no node', args: needed.filter((_, at) => at !== 2 && at !== 3), says: "required option '--node-id" },
    { given: 'an empty node', args: [...needed, '--node-id', ''], says: '--node-id must have 1 to 192 bytes' },
    { given: 'an unknown flag', args: [...needed, '--bogus'], says: "unknown option '--bogus'" },
    { given: 'an argument', args: [...needed, 'extra'], says: 'too many arguments' },
    { given: 'a TCP endpoint', args: [...needed, '--endpoint', 'tcp://0.0.0.0:1'], says: 'is not a unix socket' },
    {
      given: 'a relative state directory',
      args: [...needed, '--state-dir', 'state'],
      says: '--state-dir is not absolute',
    },
    {
      given: 'a state directory with ..',
      args: [...needed, '--state-dir', '/a/../b'],
      says: '--state-dir is not in normal form',
    },
    { given: 'half a registration', args: [...needed, ...registered.slice(0, 2)], says: 'belong together' },
    {
      given: 'an unknown level',
      args: [...needed, '--log-level', 'loud'],
      says: 'Allowed choices are debug, info, warn, error',
    },
    { given: 'an unknown format', args: [...needed, '--log-format', 'xml'], says: 'Allowed choices are text, json' },
  ])('refuses $given and says why', ({ args, says }) => {
    const read = () => readConfig(args);
    expect(read).toThrow(expect.objectContaining({ code: 'USAGE', details: { isAnswer: false } }));
    expect(read).toThrow(says);
  });

  it.each([
    ['--help', '--state-dir'],
    ['--version', '0.1.0'],
  ])('answers %s', (flag, says) => {
    expect(() => readConfig([flag])).toThrow(expect.objectContaining({ details: { isAnswer: true } }));
    expect(() => readConfig([flag])).toThrow(says);
  });
});
