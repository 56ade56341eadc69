import { describe, expect, it } from 'vitest';
import { handshakeLine, socketOfHandshake } from './handshake.ts';

describe('socketOfHandshake', () => {
  it('reads the line that it writes, and the one of a Go program', () => {
    expect(socketOfHandshake(handshakeLine('/run/p/plugin1'))).toBe('/run/p/plugin1');
    expect(socketOfHandshake('1|2|unix|/tmp/plugin3829|grpc|\n')).toBe('/tmp/plugin3829');
    expect(socketOfHandshake('1|2|unix|/tmp/plugin3829|grpc||true')).toBe('/tmp/plugin3829');
  });

  it.each([
    ['hello', 'its first line of output is not a handshake: "hello"'],
    ['', 'its first line of output is not a handshake: ""'],
    ['2|2|unix|/s|grpc', 'it speaks version 2 of go-plugin, not 1'],
    ['1|1|unix|/s|grpc', 'it speaks version 1 of the plugin protocol, not 2'],
    ['1|2|tcp|127.0.0.1:1|grpc', 'it listens on tcp 127.0.0.1:1, not on a unix socket'],
    ['1|2|unix|/s', 'it speaks netrpc, not grpc'],
    [`1|2|unix|/s|grpc|${'M'.repeat(60)}`, 'it asks for TLS, which plugins of Velero do not use'],
  ])('rejects %j with the reason', (line, message) => {
    expect(() => socketOfHandshake(line)).toThrow(expect.objectContaining({ code: 'PLUGIN_HANDSHAKE', message }));
  });

  it('truncates an invalid line in the message', () => {
    expect(() => socketOfHandshake('x'.repeat(10_000))).toThrow(/"x{200}"$/);
  });
});
