import { runForTests } from '../run-for-tests.ts';

type World = Parameters<typeof runForTests>[0];

/** Runs a command line after `lateen storage`; quotes group words. */
export function storageRunner(world: World) {
  return (line: string, options: Parameters<typeof runForTests>[2] = {}) => {
    const words = line.match(/'[^']*'|\S+/g) ?? [];
    return runForTests(world, ['storage', ...words.map((word) => word.replaceAll("'", ''))], options);
  };
}
