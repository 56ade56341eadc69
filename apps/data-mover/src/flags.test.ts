import { describe, expect, it } from 'vitest';
import { helpText, parseFlags } from './flags.ts';

const good = [
  'backup',
  '--volume-path',
  '/uid',
  '--volume-mode=Filesystem',
  '--data-upload',
  'du-1',
  '--resource-timeout=10m0s',
];

describe('parseFlags', () => {
  it('reads the flags that node-agent passes to a backup pod', () => {
    expect(parseFlags([...good, '--log-level', 'warning', '--log-format=json'])).toEqual({
      kind: 'run',
      dataPath: 'data-upload',
      volumePath: '/uid',
      volumeMode: 'Filesystem',
      name: 'du-1',
      resourceTimeoutMs: 600_000,
      logLevel: 'warn',
      logFormat: 'json',
      cacheVolumePath: undefined,
    });
  });

  it('reads the flags for changed blocks, of a backup only', () => {
    const ask = ['--cbt-sa-name=agent', '--snapshot-id=du-1'];
    expect(parseFlags([...good, ...ask, '--volume-id=vol-1', '--claim-uid=c-1'])).toMatchObject({
      changes: { serviceAccount: 'agent', snapshot: 'du-1', volumeHandle: 'vol-1', claimUid: 'c-1' },
    });
    expect(parseFlags([...good, ...ask])).toMatchObject({
      changes: { serviceAccount: 'agent', snapshot: 'du-1', volumeHandle: undefined, claimUid: undefined },
    });
    expect(parseFlags(good)).not.toHaveProperty('changes');
  });

  it('reads the flags of a restore pod with a cache volume', () => {
    const argv = [
      'restore',
      ...good.slice(1, 4),
      '--data-download=dd',
      '--resource-timeout=1h',
      '--cache-volume-path=/c',
    ];
    expect(parseFlags(argv)).toMatchObject({ dataPath: 'data-download', name: 'dd', cacheVolumePath: '/c' });
  });

  it('reads the flags of pods for pod volumes, which are file systems', () => {
    const common = ['--volume-path=/uid', '--resource-timeout=10m0s'];
    expect(parseFlags(['pod-volume', 'backup', ...common, '--pod-volume-backup=pvb'])).toMatchObject({
      dataPath: 'pod-volume-backup',
      name: 'pvb',
      volumeMode: 'Filesystem',
    });
    expect(
      parseFlags(['pod-volume', 'restore', ...common, '--pod-volume-restore', 'pvr', '--cache-volume-path=/c']),
    ).toMatchObject({ dataPath: 'pod-volume-restore', name: 'pvr', cacheVolumePath: '/c' });
    expect(parseFlags(['pod-volume', '--help'])).toEqual({ kind: 'help' });
  });

  it('reads the argument of restore-wait, which may not be a path', () => {
    expect(parseFlags(['restore-wait', 'f0e1-22'])).toEqual({ kind: 'restore-wait', restoreUid: 'f0e1-22' });
    for (const argv of [[], [''], ['..'], ['a/b'], ['a', 'b'], ['--wait']])
      expect(() => parseFlags(['restore-wait', ...argv])).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(parseFlags(['restore-wait', '--help'])).toEqual({ kind: 'help' });
  });

  it.each([[['--help']], [['backup', '-h']], [['help']]])('%j asks for help', (argv) => {
    expect(parseFlags(argv)).toEqual({ kind: 'help' });
    expect(helpText).toContain('--resource-timeout');
  });

  it.each([
    [[], /a command is missing/],
    [['upload'], /unknown command "upload"/],
    [[...good, '--volum'], /unknown option '--volum'/],
    [[...good, 'more'], /unexpected argument "more"/],
    [good.filter((each) => each !== '--volume-path' && each !== '/uid'), /--volume-path is required/],
    [[...good, '--volume-path', 'rel'], /--volume-path "rel" is not an absolute path/],
    [[...good, '--volume-mode=Blok'], /--volume-mode "Blok" is not one of Filesystem, Block/],
    [[...good, '--resource-timeout=10'], /--resource-timeout "10" is not a duration/],
    [[...good, '--data-download=x'], /--data-download does not belong to backup/],
    [[...good, '--cbt-sa-name=agent'], /--snapshot-id is required/],
    [
      ['restore', ...good.slice(1, 4), '--data-download=dd', '--resource-timeout=1h', '--cbt-sa-name=a'],
      /--cbt-sa-name does not belong to restore/,
    ],
    [['pod-volume'], /a command is missing/],
    [['pod-volume', ...good], /unknown option '--volume-mode'/],
    [['pod-volume', 'backup', '--volume-path=/u', '--resource-timeout=1m'], /--pod-volume-backup is required/],
    [
      ['pod-volume', 'restore', '--volume-path=/u', '--resource-timeout=1m', '--pod-volume-backup=x'],
      /--pod-volume-backup does not belong to restore/,
    ],
    [[...good, '--log-format=xml'], /--log-format "xml" is not one of text, json/],
  ])('rejects %j with the reason', (argv, message) => {
    expect(() => parseFlags(argv)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }),
    );
  });
});
