/** The command line of this program: Node with its own flags, and the running file. */
export const ownProgram = (): readonly string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
