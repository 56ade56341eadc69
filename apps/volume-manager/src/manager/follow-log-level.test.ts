import { silentLogger } from '@lateen/kernel';
import { readSettings } from '@lateen/volume-decisions';
import { expect, it } from 'vitest';
import { followLogLevel } from './follow-log-level.ts';

it('uses the level of the setting, and that of the flag while the setting is Info', () => {
  let value = 'Info';
  let changed = () => {};
  const onChange = (handler: () => void) => {
    changed = handler;
    return () => {};
  };
  const setting = { apiVersion: 'longhorn.io/v1beta2', kind: 'Setting', metadata: { name: 'log-level' } };
  const context = {
    caches: { settings: { onChange } },
    settings: () => readSettings([{ ...setting, value }]).settings,
  };
  const set: string[] = [];
  followLogLevel(context as unknown as Parameters<typeof followLogLevel>[0], {
    log: silentLogger,
    setLevel: (level) => void set.push(level),
    flag: 'warn',
  });
  for (value of ['Info', 'Trace', 'Debug', 'Panic', 'no level', 'Warn', 'Info']) changed();
  expect(set).toEqual(['debug', 'error', 'warn']);
});
