import { FakeClock, letWorkRun } from '@lateen/testing';
import { expect, it } from 'vitest';
import { during } from './progress.ts';
import { streamProgress } from './stream-progress.ts';

function screen(options: { isTTY: boolean; columns?: number }) {
  let text = '';
  return { ...options, write: (more: string) => (text += more), text: () => text };
}

it('prints one line per ended step without a terminal, and repeated lines for long ones', async () => {
  const clock = new FakeClock();
  const out = screen({ isTTY: false });
  const progress = streamProgress(out, clock);
  const step = progress.begin('building etcd (3 more after it)');
  step.update('linking');
  await clock.advance(30_000);
  step.done();
  const failing = progress.begin('building kubelet');
  await clock.advance(1_250);
  failing.failed();
  await letWorkRun();
  expect(out.text()).toBe(
    '… building etcd (3 more after it): linking (30s)\n✓ building etcd (3 more after it) (30s)\n✗ building kubelet (1s)\n',
  );
});

it('redraws one line on a terminal that shows all running steps and never wraps', async () => {
  const clock = new FakeClock();
  const out = screen({ isTTY: true, columns: 40 });
  const progress = streamProgress(out, clock);
  const one = progress.begin('one');
  const two = progress.begin('two');
  await clock.advance(500);
  expect(out.text().split('\r\x1b[2K').at(-1)).toBe('… one (0s), two (0s)');
  one.update('a text that is much too long for the terminal');
  await clock.advance(500);
  const line = out.text().split('\r\x1b[2K').at(-1) ?? '';
  expect(line.length).toBeLessThan(40);
  one.done();
  two.done('well');
  await letWorkRun();
  expect(out.text().endsWith('\r\x1b[2K✓ two: well (1s)\n')).toBe(true);
  expect(clock.pending).toBe(0);
});

it('ends a step once, whatever is called after', () => {
  const out = screen({ isTTY: false });
  const step = streamProgress(out, new FakeClock()).begin('one');
  step.done();
  step.done();
  step.failed();
  expect(out.text()).toBe('✓ one (0s)\n');
});

it('marks a step as failed and throws its error', async () => {
  const out = screen({ isTTY: false });
  const progress = streamProgress(out, new FakeClock());
  await expect(during(progress, 'one', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(out.text()).toBe('✗ one (0s)\n');
});
