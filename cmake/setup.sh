# Sourced by ./demo, ./test and .ci/run: installs what is missing (Debian packages), configures and builds.
# Says what it does, one line a step; the details go to build/<step>.log and are shown when a step fails.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

glint_packages="g++ cmake ninja-build pkg-config flatbuffers-compiler libflatbuffers-dev libhwy-dev libpthreadpool-dev libzip-dev
  libsimdjson-dev nlohmann-json3-dev libfmt-dev libcli11-dev libstb-dev libgtest-dev libgmock-dev"

say() { printf '\033[1m==>\033[0m %s\n' "$*" | { [ -t 1 ] && cat || sed 's/\x1b\[[0-9;]*m//g'; }; }

# step "what is done" LOG COMMAND...: quiet unless it fails.
step() {
  local what=$1 log=$root/build/$2.log; shift 2
  say "$what"
  mkdir -p "$root/build"
  if ! "$@" >"$log" 2>&1; then
    echo "This failed: $*" >&2
    echo "The end of $log:" >&2
    tail -n 30 "$log" >&2
    exit 1
  fi
}

install_packages() {
  local missing=()
  for p in $glint_packages "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "These Debian packages (or what corresponds to them on this system) are needed: ${missing[*]}" >&2
    exit 1
  fi
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Installing packages needs root or sudo. Missing: ${missing[*]}" >&2; exit 1; }
    sudo=sudo
  fi
  step "Refreshing the package lists" apt-update $sudo apt-get update
  step "Installing ${#missing[@]} packages: ${missing[*]}" apt-install $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]
build() {
  local preset=$1; shift
  step "Configuring ($preset)" "configure-$preset" cmake -S "$root" --preset "$preset"
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  say "Building ($preset): some minutes the first time"
  local log=$root/build/build-$preset.log
  if [ -t 1 ]; then
    cmake --build "$root/build/$preset" "${targets[@]}" 2>&1 | tee "$log" | while IFS= read -r line; do printf '\r\033[K%.100s' "$line"; done
    local rc=${PIPESTATUS[0]}
    printf '\r\033[K'
  else
    local rc=0
    cmake --build "$root/build/$preset" "${targets[@]}" >"$log" 2>&1 || rc=$?
  fi
  if [ "$rc" -ne 0 ]; then
    echo "The build failed. The end of $log:" >&2
    grep -E "error|FAILED" -A 5 "$log" | tail -n 40 >&2
    exit 1
  fi
}
