import { describe, expect, it } from 'vitest';
import { hostApiProblem } from './api-version.ts';

const range = (min: number, max: number) => ({ min, max });

describe('API versions of a manager and an instance manager', () => {
  it.each([
    [range(1, 1), range(1, 1)],
    [range(1, 2), range(2, 3)],
    [range(2, 3), range(1, 2)],
    [range(1, 9), range(4, 4)],
  ])('%j and %j have one in common', (manager, instanceManager) => {
    expect(hostApiProblem(manager, instanceManager)).toBeUndefined();
  });

  it.each([
    [range(1, 1), range(2, 3), 'Bring all pods of the volume manager to the same release.'],
    [range(2, 3), range(1, 1), expect.stringContaining('Detach the volumes of its node')],
  ])('%j and %j have none in common: the next step names the older one', (manager, instanceManager, nextStep) => {
    expect(hostApiProblem(manager, instanceManager)).toMatchObject({ code: 'API_VERSION', retry: 'never', nextStep });
  });
});
