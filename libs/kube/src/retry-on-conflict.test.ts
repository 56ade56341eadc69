import { describe, expect, it } from 'vitest';
import { kubeError } from './kube-error.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

describe('retryOnConflict', () => {
  const failing = (times: number, code: 'KUBE_CONFLICT' | 'KUBE_UNAVAILABLE') => {
    let calls = 0;
    return async () => {
      calls += 1;
      if (calls <= times) throw kubeError(code, `call ${calls}`);
      return calls;
    };
  };

  it('reads and writes again after a conflict', async () => {
    await expect(retryOnConflict(failing(9, 'KUBE_CONFLICT'))).resolves.toBe(10);
  });
  it('gives up after ten conflicts in a row', async () => {
    await expect(retryOnConflict(failing(10, 'KUBE_CONFLICT'))).rejects.toThrow('call 10');
  });
  it('throws every other error at once', async () => {
    await expect(retryOnConflict(failing(1, 'KUBE_UNAVAILABLE'))).rejects.toThrow('call 1');
  });
});
