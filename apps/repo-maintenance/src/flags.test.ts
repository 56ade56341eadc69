import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { engineMemory, memoryLimitOf } from './engine-memory.ts';
import { parseFlags } from './flags.ts';

const MiB = 1024 * 1024;

describe('flags', () => {
  it('are what a Job gives', () => {
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
    [['maintain', '--repo-name=x', '--mode=deep'], '--mode "deep" is not one of auto, quick, full'],
    [['check', '--repo-name=x', '--read-data-percent=101'], '--read-data-percent "101" is not a number from 0 to 100'],
    [['check', '--repo-name=x', '--read-data-percent='], '--read-data-percent "" is not a number from 0 to 100'],
    [['usage', '--repo-name=x', '-o', 'yaml'], '--output "yaml" is not one of json, text'],
    [['usage', '--repo-name=x', '--force'], "unknown option '--force'"],
  ])('%j: %s', (argv, message) => {
    expect(() => parseFlags(argv)).toThrowError(message);
  });
});

describe('configuration', () => {
  it('keeps the new password out of what children may inherit', () => {
    const config = readConfig({ VELERO_NAMESPACE: 'velero', LATEEN_NEW_REPOSITORY_PASSWORD: ' n3w\n', PATH: '/bin' });
    expect(config.newPassword).toBe('n3w');
    expect(config.environment).toEqual({ VELERO_NAMESPACE: 'velero', PATH: '/bin' });
  });

  it('names the variable that is missing', () => {
    expect(() => readConfig({})).toThrowError(/VELERO_NAMESPACE/);
  });
});

describe("the engine's memory", () => {
  it.each([
    [2048 * MiB, 1906, undefined],
    [512 * MiB, 370, undefined],
    [256 * MiB, 114, 50],
    [100 * MiB, 25, 50],
  ])('of %d bytes is %d MiB', (limit, heapMiB, gcPercent) => {
    const { memoryLimitBytes = 0, gcPercent: percent } = engineMemory(limit);
    expect(Math.floor(memoryLimitBytes / MiB)).toBe(heapMiB);
    expect(memoryLimitBytes).toBeLessThan(limit);
    expect(percent).toBe(gcPercent);
  });

  it('is not limited where the pod is not', () => {
    for (const text of [undefined, '', '0', '-1', 'x'])
      expect(memoryLimitOf({ LATEEN_LIMIT_MEMORY_BYTES: text })).toBeUndefined();
    expect(engineMemory(undefined)).toEqual({});
    expect(memoryLimitOf({ LATEEN_LIMIT_MEMORY_BYTES: '1024' })).toBe(1024);
  });
});
