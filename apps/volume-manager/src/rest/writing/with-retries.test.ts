import { kubeError } from '@lateen/kube';
import { FakeClock, letTimePass, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { withRetries } from './with-retries.ts';

const conflict = kubeError('KUBE_CONFLICT', 'somebody else wrote');
const never = new AbortController().signal;

async function turns(error: () => Error | undefined): Promise<{ turns: number; end: string }> {
  const clock = new FakeClock();
  let count = 0;
  const work = withRetries({ clock, random: seededRandom() }, never, async () => {
    count += 1;
    const failure = error();
    if (failure !== undefined) throw failure;
    return 'written';
  }).catch((failure: Error) => failure.message);
  return { end: await letTimePass(work, clock), turns: count };
}

it("tries ten times, and then gives up with Longhorn's message", async () => {
  const end = 'cannot finish API request due to too many error retries';
  expect(await turns(() => conflict)).toEqual({ turns: 10, end });
});

it('ends with the first success, and with the first error of another kind', async () => {
  let left = 3;
  const before = () => {
    left -= 1;
    return left > 0 ? conflict : undefined;
  };
  expect(await turns(before)).toEqual({ turns: 3, end: 'written' });
  expect(await turns(() => new Error('another'))).toEqual({ turns: 1, end: 'another' });
});
