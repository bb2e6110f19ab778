package main

// nested are the variables by which an agent CLI tells what it starts that it
// runs inside of it; an agent of ours that inherits them behaves differently:
// it refuses to start, takes another's session for its own, or talks to an
// editor that isn't there. They never pass. docs/localprocess.md lists them.
// A trailing star matches the rest of a name.
func nested() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_AGENT_SDK_*", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_ENV_FILE",
		"CODEX_SANDBOX*", "CODEX_THREAD_ID", "CODEX_CI",
		"OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID", "OPENCODE_PROCESS_ROLE",
		"GEMINI_CLI", "CURSOR_AGENT", "CURSOR_TRACE_ID",
	}
}

// settings are variables that match nested, but are the user's own choice.
func settings() []string {
	return []string{
		"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*", "CLAUDE_CODE_MAX_*",
		"CLAUDE_CODE_DISABLE_*", "CLAUDE_CODE_ENABLE_*", "CLAUDE_CODE_API_KEY_HELPER_*", "CLAUDE_CODE_EXTRA_BODY",
	}
}

// needed are the variables that pass whatever inherit_env says: without them
// programs aren't found, print another language, or look for their files
// elsewhere. None of them holds a secret. HOME is set in any case.
func needed(windows bool) []string {
	names := []string{
		"PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_*", "TERM",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
	}
	if windows {
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME",
			"USERPROFILE", "APPDATA", "LOCALAPPDATA", "HOMEDRIVE", "HOMEPATH", "PROGRAMDATA", "PROGRAMFILES*",
			"COMMONPROGRAMFILES*", "ALLUSERSPROFILE", "PUBLIC", "OS", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "MSYSTEM")
	}
	return names
}

// homes are the variables that lead past HOME into the user's own folder. With
// a private home they don't pass, whatever inherit_env says.
func homes() []string {
	return []string{
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_BIN_HOME", "XDG_RUNTIME_DIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GROK_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR",
		"USERPROFILE", "APPDATA", "LOCALAPPDATA", "HOMEDRIVE", "HOMEPATH",
	}
}
