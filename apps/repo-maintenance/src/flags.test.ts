import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { parseFlags } from './flags.ts';

describe('flags', () => {
  it('are those that a Job passes', () => {
    expect(parseFlags(['maintain', '--repo-name=shop-default-kopia', '--mode=full', '--output=json'])).toMatchObject({
      operation: 'maintain',
      repositoryName: 'shop-default-kopia',
      mode: 'full',
      output: 'json',
    });
    expect(parseFlags(['check', '--repo-name', 'x', '--read-data-percent=2.5'])).toMatchObject({
      readDataPercent: 2.5,
    });
    expect(parseFlags(['maintain', '--repo-name', 'x'])).toMatchObject({ mode: 'auto', output: 'text' });
    expect(parseFlags(['change-password', '--repo-name', 'x', '--new-password-key=next'])).toMatchObject({
      newPasswordKey: 'next',
    });
    expect(parseFlags(['forget', '--repo-name=x', '--requests=a,b'])).toMatchObject({ requests: ['a', 'b'] });
    expect(parseFlags(['verify', '--repo-name=x', '--snapshot-id=k1', '--volume-path=/dev/v'])).toMatchObject({
      operation: 'verify',
      snapshotID: 'k1',
      volumePath: '/dev/v',
      readDataPercent: 0,
    });
    expect(parseFlags(['--help'])).toEqual({ kind: 'help' });
  });

  it.each([
    [[], 'a command is missing'],
    [['prune'], 'unknown command "prune"'],
    [['usage'], '--repo-name is required'],
    [['usage', '--repo-name='], '--repo-name is required'],
    [['usage', 'more', '--repo-name=x'], 'unexpected argument "more"'],
    [['usage', '--repo-name=x', '--mode=full'], '--mode does not belong to usage'],
    [['maintain', '--repo-name=x', '--read-data-percent=1'], '--read-data-percent does not belong to maintain'],
    [['maintain', '--repo-name=x', '--new-password-key=y'], '--new-password-key does not belong to maintain'],
    [['change-password', '--repo-name=x'], '--new-password-key is required'],
    [['forget', '--repo-name=x'], '--requests is required'],
    [['usage', '--repo-name=x', '--requests=a'], '--requests does not belong to usage'],
    [['maintain', '--repo-name=x', '--mode=deep'], '--mode "deep" is not one of auto, quick, full'],
    [['check', '--repo-name=x', '--read-data-percent=101'], '--read-data-percent "101" is not a number from 0 to 100'],
    [['check', '--repo-name=x', '--read-data-percent='], '--read-data-percent "" is not a number from 0 to 100'],
    [['usage', '--repo-name=x', '-o', 'yaml'], '--output "yaml" is not one of json, text'],
    [['verify', '--repo-name=x'], '--snapshot-id is required'],
    [['check', '--repo-name=x', '--volume-path=/dev/v'], '--volume-path does not belong to check'],
    [['usage', '--repo-name=x', '--force'], "unknown option '--force'"],
  ])('%j: %s', (argv, message) => {
    expect(() => parseFlags(argv)).toThrowError(message);
  });
});

describe('configuration', () => {
  it('names a missing variable', () => {
    expect(() => readConfig({})).toThrowError(/VELERO_NAMESPACE/);
  });
});
