import { runForTests } from '../run-for-tests.ts';

type World = Parameters<typeof runForTests>[0];

/** Runs a line of words behind `lateen storage`; quotes hold words together. */
export function storageRunner(world: World) {
  return (line: string, options: Parameters<typeof runForTests>[2] = {}) => {
    const words = line.match(/'[^']*'|\S+/g) ?? [];
    return runForTests(world, ['storage', ...words.map((word) => word.replaceAll("'", ''))], options);
  };
}
