import { expect, it } from 'vitest';
import { daemonWarnings } from './check-daemon.ts';

it.each([
  [true, false, []],
  [false, false, ['was not tested']],
  [true, true, ['slow over TCP']],
  [false, true, ['was not tested', 'slow over TCP']],
])('of a tested release: %s, and slow over TCP: %s, warns about %j', (tested, slowOverTcp, told) => {
  const warnings = daemonWarnings({ tested, slowOverTcp });
  expect(warnings.map(({ message }) => message)).toEqual(told.map((text) => expect.stringContaining(text)));
  for (const { nextStep } of warnings) expect(nextStep).toContain('10.0');
});
