import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  makeClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { silentLogger, systemClock } from '@lateen/kernel';
import type { GeneratedClient } from './connect.ts';
import { makeService, type ServiceHandlers, type ServiceOptions } from './service.ts';

/** The service of this library's tests: JSON instead of protobuf, which makes no difference to grpc-js. */
export interface TestServer {
  say: handleUnaryCall<{ text: string }, { text: string }>;
  count: handleServerStreamingCall<{ upTo: number }, { value: number; filler: string }>;
  sum: handleClientStreamingCall<{ value: number }, { total: number }>;
  echo: handleBidiStreamingCall<{ text: string }, { text: string }>;
}

const json = {
  requestSerialize: (value: unknown) => Buffer.from(JSON.stringify(value)),
  requestDeserialize: (bytes: Buffer) => JSON.parse(bytes.toString()),
  responseSerialize: (value: unknown) => Buffer.from(JSON.stringify(value)),
  responseDeserialize: (bytes: Buffer) => JSON.parse(bytes.toString()),
};
const definition = {
  say: { path: '/test.Test/Say', requestStream: false, responseStream: false, ...json },
  count: { path: '/test.Test/Count', requestStream: false, responseStream: true, ...json },
  sum: { path: '/test.Test/Sum', requestStream: true, responseStream: false, ...json },
  echo: { path: '/test.Test/Echo', requestStream: true, responseStream: true, ...json },
} satisfies ServiceDefinition;

export const TestClient = makeClientConstructor(definition, 'test.Test') as unknown as GeneratedClient;

export const testService = (handlers: ServiceHandlers<TestServer>, options: Partial<ServiceOptions> = {}) =>
  makeService<TestServer>(definition, handlers, {
    log: silentLogger,
    clock: systemClock,
    stopping: new AbortController().signal,
    ...options,
  });
