"""The server's first visitor, so that no person is: ``python -m tools.first_visit URL``.

Until a Streamlit server has run ``st.navigation`` once it takes every deep link for a missing page
and shows a dialog that says so. One visit cures that, and computes what the first page shows.
"""

from __future__ import annotations

import sys
import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect


def first_visit(url: str, *, seconds: float = 120) -> None:
    """Ask the server at ``url`` for one run of the app, as a browser does, and wait for its end.

    Raises TimeoutError when the run has not ended after ``seconds``.
    """
    until = time.monotonic() + seconds
    stream = url.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(stream, proxy=None, max_size=None, open_timeout=seconds) as session:
        visit = BackMsg()
        visit.rerun_script.query_string = ""
        session.send(visit.SerializeToString())
        while True:
            data = session.recv(timeout=max(until - time.monotonic(), 0.01))
            message = ForwardMsg.FromString(data)
            if (
                message.WhichOneof("type") == "script_finished"
                and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                return


if __name__ == "__main__":
    first_visit(sys.argv[1])
