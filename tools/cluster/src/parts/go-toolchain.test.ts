import { expect, it } from 'vitest';
import { goDirective, isOlder } from './go-toolchain.ts';

it.each([
  { installed: 'go1.24.0', needed: '1.24.0', older: false },
  { installed: 'go1.26.8', needed: '1.24.0', older: false },
  { installed: 'go1.23.12', needed: '1.24.0', older: true },
  { installed: 'go1.9', needed: '1.24.0', older: true },
  { installed: 'go1.25', needed: '1.25.1', older: true },
  { installed: 'go1.25.1-custom', needed: '1.25.0', older: false },
  { installed: 'devel go1.27-abcdef', needed: '1.25.0', older: false },
])('$installed is older than $needed: $older', ({ installed, needed, older }) => {
  expect(isOlder(installed, needed)).toBe(older);
});

it('reads the go directive of a go.mod, and takes its absence for the oldest', () => {
  expect(goDirective('module x\n\ngo 1.25.3\n\nrequire a v1.0.0\n')).toBe('1.25.3');
  expect(goDirective('module x\n')).toBe('1.0');
});
