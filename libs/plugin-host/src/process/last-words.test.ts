import { describe, expect, it } from 'vitest';
import { lastWords } from './last-words.ts';

describe('lastWords', () => {
  it('returns the panic of a Go program with its position', () => {
    const stderr = [
      '{"@level":"info","@message":"working"}',
      'panic: assignment to entry in nil map',
      '',
      'goroutine 34 [running]:',
      'main.(*action).Execute(0x0, {0x1c2e8c8?, 0xc00012e1e0?}, 0xc0004ac000)',
      '\t/src/main.go:80 +0x1d',
      'created by google.golang.org/grpc.(*Server).serveStreams.func2.1 in goroutine 12',
    ].join('\n');
    expect(lastWords(stderr)).toBe(
      'panic: assignment to entry in nil map; main.(*action).Execute(0x0, {0x1c2e8c8?, 0xc00012e1e0?}, 0xc0004ac000); /src/main.go:80 +0x1d',
    );
    expect(lastWords('fatal error: all goroutines are asleep - deadlock!\n')).toBe(
      'fatal error: all goroutines are asleep - deadlock!',
    );
  });

  it('returns the error of a Node program with its position', () => {
    const stderr = [
      '/app/action.js:12',
      "    throw new TypeError('x is not a function');",
      '    ^',
      '',
      'TypeError: x is not a function',
      '    at execute (/app/action.js:12:11)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      '',
      'Node.js v24.0.0',
    ].join('\n');
    expect(lastWords(stderr)).toBe('TypeError: x is not a function; at execute (/app/action.js:12:11)');
  });

  it('otherwise returns the last three lines, and only the message of log lines', () => {
    const stderr = 'one\ntwo\n{"@level":"error","@message":"three"}\nfour\n';
    expect(lastWords(stderr)).toBe('two; three; four');
  });

  it('returns nothing without output, and limits long output', () => {
    expect(lastWords('\n \n')).toBeUndefined();
    expect(lastWords(`panic: ${'x'.repeat(10_000)}`)?.length).toBe(500);
  });

  it('redacts credentials', () => {
    expect(lastWords('panic: cannot reach https://me:pass1234@host/')).not.toContain('pass1234');
  });
});
