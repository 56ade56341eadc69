import { expect, it } from 'vitest';
import { redacted } from './redact.ts';

it('keeps the names of secret fields, redacts their values, and keeps the rest readable', () => {
  const request = { volumeId: 'v', secrets: { password: 'hunter2' }, capacityRange: { requiredBytes: 5n }, list: [1] };
  expect(redacted(request)).toEqual({
    volumeId: 'v',
    secrets: { password: '[redacted]' },
    capacityRange: { requiredBytes: '5' },
    list: [1],
  });
});

it('redacts secrets at any depth and of any type', () => {
  expect(
    JSON.stringify(redacted({ a: [{ Secrets: 'hunter2' }], b: { c: { secrets: { k: 'hunter2' } } } })),
  ).not.toContain('hunter2');
});

it('handles a value that contains itself', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  expect(JSON.stringify(redacted(loop))).toContain('[deep]');
});
