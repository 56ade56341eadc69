/** How this very program is started: Node with its own flags, and the file that is running. */
export const ownProgram = (): readonly string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
